/**
 * Returns the number on a payment's receipt, which the payer can read out: ten digits, derived from the payment's
 * `Id`. Store it with the payment to look the payment up. It is neither secret nor guaranteed to be unique.
 *
 * @example
 * receiptNumber('pay_1m84mws3mUpjOZ3_YL14HgEChGiqGfg'); // '24751 13575'
 */
export function receiptNumber(paymentId: string): string {
  // FNV-1a, 64 bits.
  let hash = 0xcbf29ce484222325n;
  for (const character of paymentId) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(character.charCodeAt(0))) * 0x100000001b3n);
  }

  const digits = (hash % 10_000_000_000n).toString().padStart(10, '0');
  return `${digits.slice(0, 5)} ${digits.slice(5)}`;
}
