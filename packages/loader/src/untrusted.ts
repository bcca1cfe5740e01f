// For SDKs and adapters that might leak a session's secret.
import { latched } from './latched.js';
import { isResult } from './meaning.js';
import { redactor } from './redact.js';
import type { FlowEvent, FlowResult, ServiceAdapter } from './sdk.js';

/** Wraps an adapter that may not keep the loader's guarantees. */
export const untrusted =
  (adapter: ServiceAdapter): ServiceAdapter =>
  (sdk, call) => {
    const handle = latched(redacted(adapter))(sdk, call);
    // A flow that comes out of the back-forward cache was frozen and may be over.
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) handle.close?.().catch(() => {});
    };
    const leave = () => removeEventListener('pageshow', onPageShow);
    addEventListener('pageshow', onPageShow);
    handle.done.then(leave, leave);
    return handle;
  };

/** Copies what the adapter reports as plain data, without the session's secret. */
const redacted =
  (adapter: ServiceAdapter): ServiceAdapter =>
  (sdk, call) => {
    const redact = redactor(call.url);
    // The type still counts if the rest of an event is unreadable.
    const emit = (event: FlowEvent) => call.emit({ type: event.type, ...Object(redact(event)) });

    try {
      const handle = adapter(sdk, { ...given(call), emit });
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

/** Omits undefined options: an SDK may test with `in`. */
const given = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value)) as T;

async function redactResult(
  done: Promise<FlowResult>,
  redact: (value: unknown) => unknown,
): Promise<FlowResult> {
  try {
    const answer = await done;
    return isResult(answer) ? { ...Object(redact(answer)), status: answer.status } : { status: 'unknown' };
  } catch (error) {
    throw readable(redact(error));
  }
}

/** An SDK's error, redacted, with the first text that it contains as its message. */
function readable(error: unknown): unknown {
  const { code, message, details } = Object(error);
  const words = [message, error, ...Object.values(Object(error))].find(
    (each) => each && typeof each === 'string',
  );
  const cause = message ? Object.assign(new Error(), error) : error;
  return { code, message: words, details, cause };
}
