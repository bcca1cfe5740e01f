/** An app for this machine only, such as the control API. Refuses other hosts' names, and responds in JSON. */
import { Hono, type Context } from 'hono';
import { ServiceError } from '../core/error.js';
import { MAX_BODY_BYTES, readBytes, tooLarge } from '../platform/http/body-bytes.js';
import { guard } from '../platform/http/guarded.js';
import { otherMethods } from '../platform/http/methods.js';
import { describeError, type Log } from '../platform/log/log.js';

export interface LocalAppParts {
  readonly log: Log;
  /** The response field with the reason for a refusal. */
  readonly field: 'error' | 'message';
  /** The message for unknown paths. */
  readonly notFound: string;
  /** The message for unexpected errors. */
  readonly internalError: (message: string) => string;
}

export function localApp({ log, field, notFound, internalError }: LocalAppParts): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    guard(c.res.headers);
  });
  app.use(async (c, next) =>
    isLoopback(c.req.header('host')) ? next() : c.json({ [field]: 'Use a loopback address.' }, 403),
  );
  app.notFound((c) => {
    const allow = otherMethods(app, c);
    if (allow === null) return c.json({ [field]: notFound }, 404);
    return c.json({ [field]: `This address accepts only ${allow}.` }, 405, { allow });
  });
  app.onError((error, c) => {
    const status = error instanceof ServiceError ? STATUS[error.code] : undefined;
    if (status === undefined) {
      log.error('A request of a local app failed', { error: describeError(error) });
      return c.json({ [field]: internalError(error.message) }, 500);
    }
    const { retryAfter } = error as ServiceError;
    if (retryAfter !== undefined) c.header('retry-after', String(retryAfter));
    return c.json({ [field]: error.message }, status);
  });
  return app;
}

/** Errors caused by the request or the database. */
const STATUS: Readonly<Partial<Record<ServiceError['code'], 400 | 413 | 503>>> = {
  body_too_large: 413,
  invalid: 400,
  unavailable: 503,
};

/**
 * The fields of a JSON object. Any other body has none.
 * @throws ServiceError `body_too_large`
 */
export async function readFields(c: Context): Promise<Record<string, unknown>> {
  const bytes = await readBytes(c.req.raw, MAX_BODY_BYTES).catch(() => new Uint8Array());
  if (bytes === null) throw tooLarge(MAX_BODY_BYTES);

  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes)) as unknown) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Whether a `Host` is a loopback name or address. Other names may resolve here too (DNS rebinding). */
function isLoopback(host = ''): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(host.replace(/:\d+$/, '').toLowerCase());
}
