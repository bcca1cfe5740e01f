/** Unicode blocks of right-to-left scripts, and the presentation forms that some programs copy from documents. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ud802-\ud83b\ufb1d-\ufeff]/;

/**
 * Isolates a name within a sentence so that neither affects the other's text direction. Returns it unchanged if the directions
 * can't differ. In HTML, `<bdi>` does the same.
 */
export function isolate(value: string): string {
  const mayTurn = globalThis.document?.dir === 'rtl' || RIGHT_TO_LEFT.test(value);
  return mayTurn ? `\u2068${value}\u2069` : value;
}
