import type { FieldErrorCode, Problem } from './envelope.js';
import { ADDRESS_MAX_LENGTH, MAX_CHARGES } from './flows.js';

export type Bag = Readonly<Record<string, unknown>>;

/** A JSON object: not `null`, not an array. */
export const isBag = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const given = (bag: Bag, key: string): boolean => Object.hasOwn(bag, key) && bag[key] !== undefined;

/** Characters as a reader counts code points, which is how JSON Schema's `maxLength` counts too. */
export const characters = (text: string): number => Array.from(text).length;

const problem = (code: FieldErrorCode, field: string, message: string): Problem[] => [
  { code, field, message: `${field} ${message}` },
];

const checkRedirects = (request: Bag): Problem[] => {
  const [success, back] = [given(request, 'SuccessUrl'), given(request, 'ReturnUrl')];
  if (success === back) return [];
  const [present, missing] = success ? ['SuccessUrl', 'ReturnUrl'] : ['ReturnUrl', 'SuccessUrl'];
  return problem('required', missing, `is required with ${present}: give both or neither.`);
};

/** Which of the two fields a channel takes is the other channel's that it does not. */
const stranger = (request: Bag, field: string, channel: string, other: string): Problem[] =>
  given(request, field)
    ? problem(
        'not_allowed',
        field,
        `is not allowed on a ${channel} session: leave it out, or use Channel ${other}.`,
      )
    : [];

const checkChannel = (request: Bag): Problem[] => {
  if (request['Channel'] === 'QuickPay') return stranger(request, 'PosUser', 'QuickPay', 'POS');
  if (request['Channel'] !== 'POS') return [];
  return [
    ...stranger(request, 'ClientUser', 'POS', 'QuickPay'),
    ...(given(request, 'PosUser')
      ? []
      : problem('required', 'PosUser', 'is required on a POS session: the e-mail address of the agent.')),
  ];
};

const checkCharges = (charges: unknown): Problem[] => {
  if (!Array.isArray(charges)) return [];
  if (charges.length === 0) return problem('too_few', 'Charges', 'needs at least one charge.');
  if (charges.length > MAX_CHARGES)
    return problem('too_many', 'Charges', `takes at most ${MAX_CHARGES} charges: split the payment.`);
  const amounts = charges.map((charge) => (isBag(charge) ? charge['Amount'] : undefined));
  if (!amounts.every((amount) => Number.isSafeInteger(amount))) return [];
  const total = (amounts as number[]).reduce((sum, amount) => sum + amount, 0);
  return Number.isSafeInteger(total)
    ? []
    : problem('invalid', 'Charges', 'has amounts that add up to too large a number.');
};

/** `StreetAddress`, `StreetAddress2` and `City` that are too long; `path` is where the address is. */
export function checkAddress(address: unknown, path: string): Problem[] {
  if (!isBag(address)) return [];
  return ['StreetAddress', 'StreetAddress2', 'City'].flatMap((key): Problem[] => {
    const value = address[key];
    if (typeof value !== 'string' || characters(value) <= ADDRESS_MAX_LENGTH) return [];
    return problem('too_long', `${path}.${key}`, `takes at most ${ADDRESS_MAX_LENGTH} characters.`);
  });
}

const checkAddresses = (charges: unknown): Problem[] =>
  Array.isArray(charges)
    ? charges.flatMap((charge, index) =>
        isBag(charge) && isBag(charge['ClientAccount'])
          ? checkAddress(charge['ClientAccount']['Address'], `Charges[${index}].ClientAccount.Address`)
          : [],
      )
    : [];

/**
 * The rules of a payment session request that span fields or limit their size, all broken ones at once; empty when
 * none is (R-21, R-22, R-23, R-24, R-25, R-31). It takes anything and never throws: the shape of single fields is
 * `./schemas`' business. The service and the client's preflight use this same function.
 *
 * @example
 * checkPaymentRules({ BusinessUnitSlug: 'harborlight-water', Channel: 'POS', Charges: [] });
 * // [{ code: 'required', field: 'PosUser', message: … }, { code: 'too_few', field: 'Charges', message: … }]
 */
export function checkPaymentRules(request: unknown): Problem[] {
  if (!isBag(request)) return [];
  return [
    ...checkChannel(request),
    ...checkRedirects(request),
    ...checkCharges(request['Charges']),
    ...checkAddresses(request['Charges']),
  ];
}
