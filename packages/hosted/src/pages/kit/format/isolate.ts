/** The blocks of scripts from right to left, and their letters as some programs copy them out of a document. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ud802-\ud83b\ufb1d-\ufeff]/;

/**
 * A name within a sentence, whatever its direction: it turns nothing around it and nothing turns it. Where the two
 * cannot differ it stays as it is. In the page itself a `<bdi>` does the same.
 */
export function isolate(value: string): string {
  const mayTurn = globalThis.document?.dir === 'rtl' || RIGHT_TO_LEFT.test(value);
  return mayTurn ? `\u2068${value}\u2069` : value;
}
