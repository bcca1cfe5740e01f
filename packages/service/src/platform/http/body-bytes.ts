import { ServiceError } from '../../core/error.js';

const KIB = 1024;
export const MAX_BODY_BYTES: number = 256 * KIB;
export function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError(
    'body_too_large',
    `The body is larger than ${maxBytes} bytes (${maxBytes / KIB} KiB).`,
  );
}

/** Resolves to null if the body is too large. `BoundedRequest` limits bodies without a length. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  if (Number(request.headers.get('content-length')) > maxBytes) return null;
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.length > maxBytes ? null : bytes;
}
