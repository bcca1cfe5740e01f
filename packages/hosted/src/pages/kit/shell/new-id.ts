/** A random 128-bit request id. `crypto.randomUUID` exists only on `https:` and loopback pages. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}
