import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../core/error.js';

const KIB = 1024;
export const MAX_BODY_BYTES: number = 256 * KIB;
function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError(
    'body_too_large',
    `The body is larger than ${maxBytes} bytes (${maxBytes / KIB} KiB).`,
  );
}

/**
 * `BoundedRequest` limits bodies without a length.
 * @throws ServiceError `body_too_large`, or `invalid_json` if the body ends early
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes);
  const buffer = await request.arrayBuffer().catch((cause: unknown) => {
    throw new ServiceError('invalid_json', 'The body ended early.', { cause });
  });
  const bytes = new Uint8Array(buffer);
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

export interface JsonBody {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly value: unknown;
}

/** Larger bodies are parsed one per turn of the event loop, so that other requests run in between. */
export const LARGE_BYTES: number = 4 * 1024;

let lastTurn: Promise<unknown> = Promise.resolve();

/**
 * Checks media type and size.
 * @throws ServiceError `unsupported_media_type`, `body_too_large`, or `invalid_json` if the body ends early
 */
export async function readJsonBytes(
  request: Request,
  maxBytes: number = MAX_BODY_BYTES,
): Promise<Uint8Array> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type.trim()))
    throw new ServiceError(
      'unsupported_media_type',
      'The body must be JSON: send it with the header Content-Type: application/json.',
    );
  if (!/^\s*(identity\s*)?$/i.test(request.headers.get('content-encoding') ?? ''))
    throw new ServiceError(
      'unsupported_media_type',
      'The body must not be compressed: send it without the header Content-Encoding.',
    );

  return readBytes(request, maxBytes);
}

/** @throws ServiceError `invalid_json` */
export async function parseJson(bytes: Uint8Array): Promise<JsonBody> {
  if (bytes.length > LARGE_BYTES) await (lastTurn = lastTurn.then(() => setImmediate()));
  try {
    const text = UTF_8.decode(bytes);
    return { bytes, text, value: JSON.parse(text) as unknown };
  } catch (cause) {
    throw new ServiceError('invalid_json', 'The body is not valid JSON in UTF-8.', { cause });
  }
}
