/**
 * Trims a session's request to the fields that queries return and refunds need.
 */

/** Retention of the full request, ms. By then every outcome is final, including bank returns. */
export const REQUEST_RETENTION_MS: number = 90 * 86_400_000;

const KEPT_FIELDS: ReadonlySet<string> = new Set([
  'BusinessUnitSlug',
  'Channel',
  'ClientReference',
  'CustomMeta',
  'PaymentFields',
  'Charges',
  'ClientAccount',
]);
const KEPT_ACCOUNT_FIELDS: ReadonlySet<string> = new Set(['AccountNumber', 'SubAccountNumber']);

/**
 * Removes names, addresses, notes and appearance from a stored request. Returns null if the request is unreadable.
 * @param request JSON
 */
export function trimmedRequest(request: string): string | null {
  const parsed = recordIn(request);
  if (parsed === null) return null;

  const { Charges } = parsed;
  const charges = Array.isArray(Charges) ? { Charges: Charges.map(withTrimmedAccount) } : {};
  return JSON.stringify({ ...pick(Object(withTrimmedAccount(parsed)), KEPT_FIELDS), ...charges });
}

function withTrimmedAccount(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value['ClientAccount'])) return value;
  return { ...value, ClientAccount: pick(value['ClientAccount'], KEPT_ACCOUNT_FIELDS) };
}

function pick(record: Record<string, unknown>, names: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => names.has(key)));
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
