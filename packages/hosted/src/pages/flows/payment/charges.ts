/** Pure functions that compute from the form's values which charges are paid, and how much. */
import type { ChargeTexts, PageCharge } from '@shared/page.js';
import type { Values } from '../../kit/design/form.js';
import { amountText, money, parseAmount } from '../../kit/format/money.js';

/** Whether the merchant says what a charge is for. Otherwise it is just an amount, perhaps for an account. */
export function hasTexts({ description }: ChargeTexts): boolean {
  return description !== undefined;
}

/** Charges for one account share a field, because they are selected together. */
export function chosenField({ index, group }: PageCharge): string {
  return `charges.${group?.first ?? index}.chosen`;
}

/** True for the charge that shows the checkbox of its account. */
export function isFirstOfAccount({ index, group }: PageCharge): boolean {
  return group === undefined || group.first === index;
}

/** Sorts charges of the same account next to each other. */
export function byAccount(charges: readonly PageCharge[]): PageCharge[] {
  const firstOf = ({ index, group }: PageCharge): number => group?.first ?? index;
  return [...charges].sort((one, other) => firstOf(one) - firstOf(other) || one.index - other.index);
}

export function amountField(charge: PageCharge): string {
  return `charges.${charge.index}.amount`;
}

/** Selects every charge, with its requested amount. */
export function initialCharges(charges: readonly PageCharge[]): Values {
  return Object.fromEntries(
    charges.flatMap((charge) => [
      [chosenField(charge), 'yes'],
      [amountField(charge), amountText(charge.amount)],
    ]),
  );
}

export function isChosen(charge: PageCharge, values: Values): boolean {
  return !charge.selectable || values[chosenField(charge)] === 'yes';
}

/** Returns cents, or null if the amount is invalid. */
export function amountOf(charge: PageCharge, values: Values): number | null {
  return charge.adjustable ? parseAmount(values[amountField(charge)] ?? '') : charge.amount;
}

export interface Total {
  /** Of the chosen charges whose amounts can be paid, formatted. */
  text: string;
  /** Whether the amounts of all chosen charges can be paid. */
  isPayable: boolean;
}

export function totalOf(charges: readonly PageCharge[], values: Values): Total {
  const amounts = charges
    .filter((charge) => isChosen(charge, values))
    .map((charge) => payableOf(charge, charges, values));
  const cents = amounts.reduce((sum, amount) => sum + amount, 0);
  return { text: money(cents), isPayable: cents > 0 && !amounts.includes(0) };
}

/** Returns cents, or 0 if the amount can't be paid. */
export function payableOf(charge: PageCharge, charges: readonly PageCharge[], values: Values): number {
  const amount = amountOf(charge, values) ?? 0;
  return amount > 0 && amount <= maxAmountOf(charge, charges, values) ? amount : 0;
}

/** The maximum for the charge in cents, given the amounts of the account's other charges. */
export function maxAmountOf(charge: PageCharge, charges: readonly PageCharge[], values: Values): number {
  const { index, group, maxAmount } = charge;
  if (group === undefined || !charge.adjustable) return maxAmount;

  const others = charges.filter((other) => other.group?.first === group.first && other.index !== index);
  const taken = others.reduce((sum, other) => sum + (amountOf(other, values) ?? 0), 0);
  return Math.max(1, Math.min(maxAmount, group.maxAmount - taken));
}
