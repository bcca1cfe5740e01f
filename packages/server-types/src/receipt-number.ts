/**
 * The number that a payment's receipt bears, which a payer reads out: ten digits of the payment's `Id`, as query,
 * webhooks and `payments/list` tell it. Keep it beside what you keep of a payment, and find that by it.
 * FNV-1a of 64 bits, of which the last ten decimal digits are kept; not a secret and not unique by itself.
 *
 * @example
 * receiptNumber('pay_1m84mws3mUpjOZ3_YL14HgEChGiqGfg'); // '24751 13575'
 */
export function receiptNumber(paymentId: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const character of paymentId) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(character.charCodeAt(0))) * 0x100000001b3n);
  }
  const digits = (hash % 10_000_000_000n).toString().padStart(10, '0');
  return `${digits.slice(0, 5)} ${digits.slice(5)}`;
}
