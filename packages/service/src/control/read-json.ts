import { MAX_BODY_BYTES, readBytes, tooLarge } from '../platform/http/body-bytes.js';

/**
 * Reads a JSON object within the limit of the API. Resolves to null if the body is anything else.
 * @throws ServiceError `body_too_large`
 */
export async function readJson(request: Request): Promise<Record<string, unknown> | null> {
  const bytes = await readBytes(request, MAX_BODY_BYTES).catch(() => new Uint8Array());
  if (bytes === null) throw tooLarge(MAX_BODY_BYTES);

  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
