/**
 * A code in words for the inspector: `payment-failed` as "Payment failed", `not_configured` as "Not configured", and
 * `RequiresPaymentSource` as "Requires payment source".
 */
export function labelOf(code: string): string {
  const words = code
    .replaceAll(/[-_]/g, ' ')
    .replace(/(?<=[a-z])[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)
    .replace(/^autopay/, 'AutoPay');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
