/**
 * The part of a payment session's request that outlives its receipt: what the query returns, and what a refund needs.
 */

/** How long a payment session keeps its whole request, ms. By then every outcome is final, including bank returns. */
export const REQUEST_KEPT_MS: number = 90 * 86_400_000;

const KEPT: ReadonlySet<string> = new Set([
  'BusinessUnitSlug',
  'Channel',
  'ClientReference',
  'CustomMeta',
  'PaymentFields',
  'Charges',
]);
const KEPT_OF_ACCOUNT: ReadonlySet<string> = new Set(['AccountNumber', 'SubAccountNumber']);

/**
 * The stored request without names, addresses, notes and appearance. Null if it is not readable.
 * @param request JSON
 */
export function trimmedRequest(request: string): string | null {
  const parsed = recordIn(request);
  if (parsed === null) return null;

  const { Charges } = parsed;
  const charges = Array.isArray(Charges) ? { Charges: Charges.map(trimmedCharge) } : {};
  return JSON.stringify({ ...only(parsed, KEPT), ...charges });
}

function trimmedCharge(charge: unknown): unknown {
  if (!isRecord(charge) || !isRecord(charge['ClientAccount'])) return charge;
  return { ...charge, ClientAccount: only(charge['ClientAccount'], KEPT_OF_ACCOUNT) };
}

function only(record: Record<string, unknown>, kept: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => kept.has(key)));
}

function recordIn(json: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(json);
    return isRecord(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
