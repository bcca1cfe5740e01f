/** A request's body, read once, within limits. */
import { ServiceError } from '../domain/error.js';

const KIB = 1024;
/** What the API takes: 256 KiB. */
export const MAX_BODY_BYTES: number = 256 * KIB;
/** What is still read of a body that is too large, so that its sender hears the answer instead of a reset. */
const MOST_DRAINED_BYTES = 8 * 1024 * 1024;

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

export interface JsonBody {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly value: unknown;
}

/**
 * In this order: media type, size, JSON.
 * @param most bytes
 * @throws ServiceError `unsupported_media_type`, `body_too_large` or `invalid_json`.
 */
export async function readJson(request: Request, most: number = MAX_BODY_BYTES): Promise<JsonBody> {
  const type = request.headers.get('content-type') ?? '';
  const isJson = /^application\/json\s*(;|$)/i.test(type.trim());
  const bytes = await readBytes(request, most).catch((cause: unknown) => {
    throw new ServiceError('invalid_json', 'The body ended before it was whole.', { cause });
  });
  if (!isJson)
    throw new ServiceError(
      'unsupported_media_type',
      'The body must be JSON: send it with the header Content-Type: application/json.',
    );
  if (bytes === null)
    throw new ServiceError('body_too_large', `The body is larger than ${most} bytes (${most / KIB} KiB).`);
  try {
    const text = UTF_8.decode(bytes);
    return { bytes, text, value: JSON.parse(text) as unknown };
  } catch (cause) {
    throw new ServiceError('invalid_json', 'The body is not valid JSON in UTF-8.', { cause });
  }
}

/** Null when there are too many. */
async function readBytes(request: Request, most: number): Promise<Uint8Array | null> {
  const declared = Number(request.headers.get('content-length') ?? NaN);
  if (declared <= most) return new Uint8Array(await request.arrayBuffer());
  if (declared > MOST_DRAINED_BYTES) return null;
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MOST_DRAINED_BYTES) return null;
    if (size <= most) chunks.push(chunk);
  }
  return size > most ? null : Buffer.concat(chunks);
}
