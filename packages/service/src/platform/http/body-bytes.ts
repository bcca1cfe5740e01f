/** The bytes of a request's body, as many as are taken. */
import { ServiceError } from '../../core/error.js';

const KIB = 1024;
/** What the API takes: 256 KiB. */
export const MAX_BODY_BYTES: number = 256 * KIB;
/** What is still read of a body that did not say how large it is, so that its sender hears the answer instead of a reset. */
const MOST_DRAINED_BYTES = 8 * 1024 * 1024;

export function tooLarge(most: number): ServiceError {
  return new ServiceError('body_too_large', `The body is larger than ${most} bytes (${most / KIB} KiB).`);
}

/** Null when there are too many; where their number says so, none is read. */
export async function readBytes(request: Request, most: number): Promise<Uint8Array | null> {
  const declared = Number(request.headers.get('content-length') ?? NaN);
  if (declared <= most) return new Uint8Array(await request.arrayBuffer());
  if (declared > most) return null;
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
