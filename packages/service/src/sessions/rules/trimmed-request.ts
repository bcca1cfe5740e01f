/** Trims a session's request to the fields that queries return and refunds need. */
import type { Charge, ClientAccount } from '../../core/requests.js';

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

interface Stored extends Readonly<Record<string, unknown>> {
  readonly ClientAccount?: ClientAccount;
  readonly Charges?: readonly Charge[];
}

/**
 * Removes names, addresses, notes and appearance from a stored request. Returns null if the request is unreadable.
 * @param request JSON
 */
export function trimmedRequest(request: string): string | null {
  let parsed: Stored;
  try {
    parsed = JSON.parse(request) as Stored;
  } catch {
    return null;
  }
  const { Charges } = parsed;
  return JSON.stringify({
    ...pick(withTrimmedAccount(parsed), KEPT_FIELDS),
    ...(Charges && { Charges: Charges.map(withTrimmedAccount) }),
  });
}

function withTrimmedAccount(value: Stored | Charge): object {
  const { ClientAccount } = value;
  return ClientAccount ? { ...value, ClientAccount: pick(ClientAccount, KEPT_ACCOUNT_FIELDS) } : value;
}

function pick(record: object, names: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => names.has(key)));
}
