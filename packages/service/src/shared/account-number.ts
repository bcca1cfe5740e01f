/** `1001-02`: an account's number with its sub-account number. */
export function fullNumber({
  accountNumber,
  subAccountNumber,
}: {
  readonly accountNumber: string;
  readonly subAccountNumber: string;
}): string {
  return subAccountNumber === '' ? accountNumber : `${accountNumber}-${subAccountNumber}`;
}
