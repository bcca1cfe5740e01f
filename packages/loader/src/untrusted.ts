import { latched } from './latched.js';
import { isResult } from './meaning.js';
import { redactor } from './redact.js';
import type { FlowEvent, FlowResult, ServiceAdapter } from './sdk.js';

/** Wraps a third-party adapter, which may leak the session's secret or report contradictory results. */
export const untrusted =
  (adapter: ServiceAdapter): ServiceAdapter =>
  (sdk, call) => {
    const handle = latched(redacted(adapter))(sdk, call);
    // The flow was frozen in the back-forward cache and may be over.
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) handle.close?.().catch(() => {});
    };
    const leave = () => removeEventListener('pageshow', onPageShow);
    addEventListener('pageshow', onPageShow);
    handle.done.then(leave, leave);
    return handle;
  };

/** Copies the adapter's reports as plain data without the session's secret. */
const redacted =
  (adapter: ServiceAdapter): ServiceAdapter =>
  (sdk, call) => {
    const redact = redactor(call.url);
    // The type still counts if the rest of an event is unreadable.
    const emit = (event: FlowEvent) => call.emit({ type: event.type, ...Object(redact(event)) });

    try {
      const handle = adapter(sdk, { ...definedOptions(call), emit });
      const { gone, concurrent } = handle;
      return {
        done: redactResult(handle.done, redact),
        ...(gone && { gone }),
        ...(handle.close && { close: async () => handle.close?.() }),
        concurrent: concurrent === true,
      };
    } catch (error) {
      throw readable(redact(error));
    }
  };

/** Omits undefined options, because an SDK may test with `in`. */
const definedOptions = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value)) as T;

async function redactResult(
  done: Promise<FlowResult>,
  redact: (value: unknown) => unknown,
): Promise<FlowResult> {
  try {
    const result = await done;
    return isResult(result) ? { ...Object(redact(result)), status: result.status } : { status: 'unknown' };
  } catch (error) {
    throw readable(redact(error));
  }
}

/** Makes a redacted error readable: its message is the first text that it contains. */
function readable(error: unknown): unknown {
  const { code, message, details } = Object(error);
  const words = [message, error, ...Object.values(Object(error))].find(
    (each) => each && typeof each === 'string',
  );
  const cause = message ? Object.assign(new Error(), error) : error;
  return { code, message: words, details, cause };
}
