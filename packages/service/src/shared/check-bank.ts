/** The check digit of a US bank routing number (ABA): 3-7-1 weights, a multiple of ten. */
export function isRoutingNumber(digits: string): boolean {
  if (!/^\d{9}$/.test(digits) || digits === '000000000') return false;

  const sum = Array.from(digits).reduce(
    (total, digit, i) => total + Number(digit) * ([3, 7, 1][i % 3] as number),
    0,
  );
  return sum % 10 === 0;
}

/** US account numbers have 4 to 17 digits. */
export function isBankAccountNumber(digits: string): boolean {
  return /^\d{4,17}$/.test(digits);
}
