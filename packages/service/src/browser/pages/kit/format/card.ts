/** Card numbers: brand, grouping, Luhn. */
export type Brand = 'visa' | 'mastercard' | 'amex' | 'discover' | 'diners' | 'jcb' | 'unionpay';

interface BrandRule {
  brand: Brand;
  name: string;
  prefix: RegExp;
  lengths: readonly number[];
  groups: readonly number[];
  securityCode: 3 | 4;
}

const FOURS = [4, 4, 4, 4, 3];
const RULES: readonly BrandRule[] = [
  {
    brand: 'amex',
    name: 'American Express',
    prefix: /^3[47]/,
    lengths: [15],
    groups: [4, 6, 5],
    securityCode: 4,
  },
  {
    brand: 'diners',
    name: 'Diners Club',
    prefix: /^3(?:0[0-5]|[689])/,
    lengths: [14, 16, 19],
    groups: [4, 6, 9],
    securityCode: 3,
  },
  {
    brand: 'jcb',
    name: 'JCB',
    prefix: /^35(?:2[89]|[3-8])/,
    lengths: [16, 17, 18, 19],
    groups: FOURS,
    securityCode: 3,
  },
  { brand: 'visa', name: 'Visa', prefix: /^4/, lengths: [13, 16, 19], groups: FOURS, securityCode: 3 },
  {
    brand: 'mastercard',
    name: 'Mastercard',
    prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
    lengths: [16],
    groups: FOURS,
    securityCode: 3,
  },
  {
    brand: 'discover',
    name: 'Discover',
    prefix: /^6(?:011|4[4-9]|5)/,
    lengths: [16, 17, 18, 19],
    groups: FOURS,
    securityCode: 3,
  },
  {
    brand: 'unionpay',
    name: 'UnionPay',
    prefix: /^62/,
    lengths: [16, 17, 18, 19],
    groups: FOURS,
    securityCode: 3,
  },
];
const LONGEST = 19;

function ruleOf(digits: string): BrandRule | undefined {
  return RULES.find(({ prefix }) => prefix.test(digits));
}

export function brandOf(digits: string): { brand: Brand; name: string } | undefined {
  return ruleOf(digits);
}

/** The brand that goes by this name, as the service spells it on a saved method. */
export function brandNamed(name: string | undefined): Brand | undefined {
  const wanted = name?.toLowerCase().replace(/[^a-z]/g, '');
  return RULES.find(
    (rule) => rule.brand === wanted || rule.name.toLowerCase().replace(/[^a-z]/g, '') === wanted,
  )?.brand;
}

export function securityCodeLength(digits: string): 3 | 4 {
  return ruleOf(digits)?.securityCode ?? 3;
}

export function formatCardNumber(typed: string): string {
  const rule = ruleOf(typed);
  const digits = typed.slice(0, Math.max(...(rule?.lengths ?? [LONGEST])));
  const parts: string[] = [];
  let start = 0;
  for (const size of rule?.groups ?? FOURS) {
    if (start >= digits.length) break;
    parts.push(digits.slice(start, start + size));
    start += size;
  }
  return parts.join(' ');
}

/** The check digit of ISO/IEC 7812-1. */
export function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits.charAt(digits.length - 1 - i));
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
}

export function checkCardNumber(digits: string): 'short' | 'invalid' | null {
  const rule = ruleOf(digits);
  const lengths = rule?.lengths ?? [12, 13, 14, 15, 16, 17, 18, 19];
  if (digits.length < Math.min(...lengths)) return 'short';
  return lengths.includes(digits.length) && luhn(digits) ? null : 'invalid';
}
