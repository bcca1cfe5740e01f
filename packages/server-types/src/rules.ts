import type { FieldErrorCode, Problem } from './envelope.js';
import { ADDRESS_MAX_LENGTH, MAX_CHARGES } from './flows.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object, false for `null` and arrays. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `null` counts as absent. */
const has = (request: JsonObject, key: string): boolean =>
  Object.hasOwn(request, key) && request[key] !== undefined && request[key] !== null;

/** Length in code points, as in JSON Schema's `maxLength`. */
export const lengthOf = (text: string): number => Array.from(text).length;

const problem = (code: FieldErrorCode, field: string, message: string): Problem[] => [
  { code, field, message: `${field} ${message}` },
];

const checkRedirects = (request: JsonObject): Problem[] => {
  const hasSuccess = has(request, 'SuccessUrl');
  if (hasSuccess === has(request, 'ReturnUrl')) return [];

  const [present, missing] = hasSuccess ? ['SuccessUrl', 'ReturnUrl'] : ['ReturnUrl', 'SuccessUrl'];
  return problem('required', missing, `is required with ${present}: give both or neither.`);
};

/** Refuses a field that belongs to the other channel. */
const refuseOtherOrigin = (request: JsonObject, field: string, channel: string, other: string): Problem[] =>
  has(request, field)
    ? problem(
        'not_allowed',
        field,
        `is not allowed on a ${channel} session: omit it, or use Channel ${other}.`,
      )
    : [];

const checkChannel = (request: JsonObject): Problem[] => {
  if (request['Channel'] === 'QuickPay') return refuseOtherOrigin(request, 'PosUser', 'QuickPay', 'POS');
  if (request['Channel'] !== 'POS') return [];

  return [
    ...refuseOtherOrigin(request, 'ClientUser', 'POS', 'QuickPay'),
    ...(has(request, 'PosUser')
      ? []
      : problem('required', 'PosUser', 'is required on a POS session: the e-mail address of the agent.')),
  ];
};

const checkCharges = (charges: unknown): Problem[] => {
  if (!Array.isArray(charges)) return [];
  if (charges.length === 0) return problem('too_few', 'Charges', 'needs at least one charge.');
  if (charges.length > MAX_CHARGES)
    return problem('too_many', 'Charges', `takes at most ${MAX_CHARGES} charges: split the payment.`);

  const amounts = charges.map((charge) => (isJsonObject(charge) ? charge['Amount'] : undefined));
  if (!amounts.every((amount) => Number.isSafeInteger(amount))) return [];

  const total = (amounts as number[]).reduce((sum, amount) => sum + amount, 0);
  return Number.isSafeInteger(total)
    ? []
    : problem('invalid', 'Charges', 'has amounts that add up to too large a number.');
};

/** Finds lines of an address that are too long. `path` is the path of the address. */
export function checkAddress(address: unknown, path: string): Problem[] {
  if (!isJsonObject(address)) return [];

  return ['StreetAddress', 'StreetAddress2', 'City'].flatMap((key): Problem[] => {
    const value = address[key];
    if (typeof value !== 'string' || lengthOf(value) <= ADDRESS_MAX_LENGTH) return [];
    return problem('too_long', `${path}.${key}`, `takes at most ${ADDRESS_MAX_LENGTH} characters.`);
  });
}

const checkAddresses = (charges: unknown): Problem[] =>
  Array.isArray(charges)
    ? charges.flatMap((charge, index) =>
        isJsonObject(charge) && isJsonObject(charge['ClientAccount'])
          ? checkAddress(charge['ClientAccount']['Address'], `Charges[${index}].ClientAccount.Address`)
          : [],
      )
    : [];

/**
 * Checks the rules of a payment session request that span fields or limit sizes.
 * Returns every problem, or an empty list. Accepts any value and never throws. The schemas in `./schemas` check single
 * fields. The service and the client's preflight share this function.
 *
 * @example
 * checkPaymentRules({ BusinessUnitSlug: 'harborlight-water', Channel: 'POS', Charges: [] });
 * // [{ code: 'required', field: 'PosUser', message: … }, { code: 'too_few', field: 'Charges', message: … }]
 */
export function checkPaymentRules(request: unknown): Problem[] {
  if (!isJsonObject(request)) return [];
  return [
    ...checkChannel(request),
    ...checkRedirects(request),
    ...checkCharges(request['Charges']),
    ...checkAddresses(request['Charges']),
  ];
}
