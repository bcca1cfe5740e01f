/** Facts about card numbers that pages and service share. Numbers are digits only. */
export type Brand = 'visa' | 'mastercard' | 'amex' | 'discover' | 'diners' | 'jcb' | 'unionpay';

export interface BrandRule {
  /** Display name, also stored with a saved method. */
  readonly name: string;
  readonly prefix: RegExp;
  readonly lengths: readonly number[];
  readonly securityCode: 3 | 4;
}

const LENGTHS_16_TO_19 = [16, 17, 18, 19];

export const BRANDS: Readonly<Record<Brand, BrandRule>> = {
  amex: { name: 'American Express', prefix: /^3[47]/, lengths: [15], securityCode: 4 },
  diners: { name: 'Diners Club', prefix: /^3(?:0[0-5]|[689])/, lengths: [14, 16, 19], securityCode: 3 },
  jcb: { name: 'JCB', prefix: /^35(?:2[89]|[3-8])/, lengths: LENGTHS_16_TO_19, securityCode: 3 },
  visa: { name: 'Visa', prefix: /^4/, lengths: [13, 16, 19], securityCode: 3 },
  mastercard: {
    name: 'Mastercard',
    prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
    lengths: [16],
    securityCode: 3,
  },
  discover: { name: 'Discover', prefix: /^6(?:011|4[4-9]|5)/, lengths: LENGTHS_16_TO_19, securityCode: 3 },
  unionpay: { name: 'UnionPay', prefix: /^62/, lengths: LENGTHS_16_TO_19, securityCode: 3 },
};

export const CARD_LENGTHS: readonly number[] = [12, 13, 14, 15, ...LENGTHS_16_TO_19];

const entries = Object.entries(BRANDS) as [Brand, BrandRule][];

/** Finds the brand by a number's first digits. */
export function brandOf(digits: string): Brand | undefined {
  return entries.find(([, { prefix }]) => prefix.test(digits))?.[0];
}

/** Finds the brand by its name, as a saved method or a processor spells it. */
export function brandNamed(name: string | undefined): Brand | undefined {
  const wanted = name === undefined ? '' : letters(name);
  return entries.find(([brand, rule]) => brand === wanted || letters(rule.name) === wanted)?.[0];
}

/** Possible lengths of a number that starts with these digits. */
export function cardLengths(digits: string): readonly number[] {
  const brand = brandOf(digits);
  return brand ? BRANDS[brand].lengths : CARD_LENGTHS;
}

export function securityCodeLength(digits: string): 3 | 4 {
  const brand = brandOf(digits);
  return brand === undefined ? 3 : BRANDS[brand].securityCode;
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}
