/** Default security headers: no sniffing, no loading, no framing, no referrer. */
const DEFAULT_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

export const REQUEST_ID = 'x-request-id';

/** Adds the default headers to a response, unless already set. */
export function guard(headers: Headers): void {
  for (const [name, value] of Object.entries(DEFAULT_HEADERS))
    if (!headers.has(name)) headers.set(name, value);
}

/** The same headers as a plain object, which is much cheaper than `Headers`. */
export function guarded(requestId = '', headers: Record<string, string> = {}): Record<string, string> {
  return { [REQUEST_ID]: requestId, ...DEFAULT_HEADERS, ...headers };
}
