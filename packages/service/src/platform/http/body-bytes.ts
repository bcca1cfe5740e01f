/** Reads a request's body up to a limit. */
import { ServiceError } from '../../core/error.js';

const KIB = 1024;
/** Body limit of the API: 256 KiB. */
export const MAX_BODY_BYTES: number = 256 * KIB;
export function tooLarge(most: number): ServiceError {
  return new ServiceError('body_too_large', `The body is larger than ${most} bytes (${most / KIB} KiB).`);
}

/** Null if the body is too large. `BoundedRequest` limits what is read of a body without a length. */
export async function readBytes(request: Request, most: number): Promise<Uint8Array | null> {
  if (Number(request.headers.get('content-length')) > most) return null;
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.length > most ? null : bytes;
}
