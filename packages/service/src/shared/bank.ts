export const ACCOUNT_TYPES = ['checking', 'savings'] as const;
export type BankAccountType = (typeof ACCOUNT_TYPES)[number];

/** The type, or undefined if invalid. A missing type means a checking account. */
export function accountTypeOf(value: unknown): BankAccountType | undefined {
  return ACCOUNT_TYPES.find((type) => type === (value || 'checking'));
}
