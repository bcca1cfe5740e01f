/** An id of 128 random bits for one request; `crypto.randomUUID` is for pages over `https:` and on loopback alone. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}
