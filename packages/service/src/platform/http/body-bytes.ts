/** Reads a request's body up to a limit. */
import { ServiceError } from '../../core/error.js';

const KIB = 1024;
/** Body limit of the API: 256 KiB. */
export const MAX_BODY_BYTES: number = 256 * KIB;
/** How much of an oversized body without a length is drained, so the client gets the response instead of a reset. */
const MAX_DRAINED_BYTES = 8 * 1024 * 1024;

export function tooLarge(most: number): ServiceError {
  return new ServiceError('body_too_large', `The body is larger than ${most} bytes (${most / KIB} KiB).`);
}

/** Null if the body is too large; with a Content-Length, that is known without reading. */
export async function readBytes(request: Request, most: number): Promise<Uint8Array | null> {
  const declared = Number(request.headers.get('content-length') ?? NaN);
  if (declared <= most) return new Uint8Array(await request.arrayBuffer());
  if (declared > most) return null;
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_DRAINED_BYTES) return null;
    if (size <= most) chunks.push(chunk);
  }
  return size > most ? null : Buffer.concat(chunks);
}
