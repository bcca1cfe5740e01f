import type { FieldErrorCode, Problem } from './envelope.js';
import { ADDRESS_MAX_LENGTH, MAX_CHARGES } from './flows.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object, false for `null` and arrays. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Length in code points, as in JSON Schema's `maxLength`. */
export const lengthOf = (text: string): number => Array.from(text).length;

/** `null` counts as absent. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

type UntrustedCharge =
  | { Amount?: unknown; ClientAccount?: { Address?: JsonObject | null } | null }
  | null
  | undefined;

type Rule = [isBroken: boolean, code: FieldErrorCode, field: string, message: string];

const originRules = ({ Channel, ClientUser, PosUser }: JsonObject): Rule[] => {
  const isPos = Channel === 'POS';
  return [
    [
      isPos && isGiven(ClientUser),
      'not_allowed',
      'ClientUser',
      'is not allowed on a POS session: omit it, or use Channel QuickPay.',
    ],
    [
      isPos && !isGiven(PosUser),
      'required',
      'PosUser',
      'is required on a POS session: the e-mail address of the agent.',
    ],
    [
      Channel === 'QuickPay' && isGiven(PosUser),
      'not_allowed',
      'PosUser',
      'is not allowed on a QuickPay session: omit it, or use Channel POS.',
    ],
  ];
};

const redirectRules = ({ SuccessUrl, ReturnUrl }: JsonObject): Rule[] => {
  const [hasSuccess, hasReturn] = [isGiven(SuccessUrl), isGiven(ReturnUrl)];
  return [
    [hasSuccess && !hasReturn, 'required', 'ReturnUrl', 'is required with SuccessUrl: give both or neither.'],
    [hasReturn && !hasSuccess, 'required', 'SuccessUrl', 'is required with ReturnUrl: give both or neither.'],
  ];
};

/** Lines of an address. `path` is the path of the address. */
const addressRules = (address: JsonObject, path: string): Rule[] =>
  ['StreetAddress', 'StreetAddress2', 'City'].map((key) => {
    const line = address[key];
    return [
      typeof line === 'string' && lengthOf(line) > ADDRESS_MAX_LENGTH,
      'too_long',
      `${path}.${key}`,
      `takes at most ${ADDRESS_MAX_LENGTH} characters.`,
    ];
  });

const chargeRules = (charges: readonly UntrustedCharge[]): Rule[] => {
  const { length } = charges;
  const amounts = charges.map((charge) => charge?.Amount);
  const total = () => (amounts as number[]).reduce((sum, amount) => sum + amount, 0);
  return [
    [length === 0, 'too_few', 'Charges', 'needs at least one charge.'],
    [length > MAX_CHARGES, 'too_many', 'Charges', `takes at most ${MAX_CHARGES} charges: split the payment.`],
    [
      amounts.every(Number.isSafeInteger) && !Number.isSafeInteger(total()),
      'invalid',
      'Charges',
      'add up to too large a number.',
    ],
    ...charges.flatMap((charge, index) => {
      const address = charge?.ClientAccount?.Address;
      return address ? addressRules(address, `Charges[${index}].ClientAccount.Address`) : [];
    }),
  ];
};

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
  const given = Object(request) as JsonObject;
  const charges = given['Charges'];
  const rules = [
    ...originRules(given),
    ...redirectRules(given),
    ...(Array.isArray(charges) ? chargeRules(charges) : []),
  ];

  return rules
    .filter(([isBroken]) => isBroken)
    .map(([, code, field, message]) => ({ code, field, message: `${field} ${message}` }));
}
