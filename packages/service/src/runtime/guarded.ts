/** Of an answer that says nothing else: it is what its type says, loads nothing, stands in no frame, tells nobody. */
const GUARDED = [
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['referrer-policy', 'no-referrer'],
] as const;

/** Adds to an answer's headers what every answer of every port has, where it has no word of its own. */
export function guard(headers: Headers): void {
  for (const [name, value] of GUARDED) if (!headers.has(name)) headers.set(name, value);
}
