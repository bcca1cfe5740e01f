/** Of an answer that says nothing else: it is what its type says, loads nothing, stands in no frame, tells nobody. */
const GUARDED = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** The header that names the request. */
export const REQUEST_ID = 'x-request-id';

/** Adds to an answer's headers what every answer of every port has, where it has no word of its own. */
export function guard(headers: Headers): void {
  for (const [name, value] of Object.entries(GUARDED)) if (!headers.has(name)) headers.set(name, value);
}

/** The same headers, of an answer that is only being made: a `Headers` costs more than all of them. */
export function guarded(requestId: string, headers: Record<string, string> = {}): Record<string, string> {
  return { [REQUEST_ID]: requestId, ...GUARDED, ...headers };
}
