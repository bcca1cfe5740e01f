/** Which charges are paid, and how much of each: from the form's fields, purely. */
import type { PageCharge } from '../../../../../service/src/shared/page.js';
import type { Values } from '../../kit/design/form.js';
import { amountText, parseAmount } from '../../kit/format/money.js';

export function chosenField(charge: PageCharge): string {
  return `charges.${charge.index}.chosen`;
}

export function amountField(charge: PageCharge): string {
  return `charges.${charge.index}.amount`;
}

/** Everything is chosen at first, at the amount that was asked for. */
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

/** Cents, or null while the field holds no amount. */
export function amountOf(charge: PageCharge, values: Values): number | null {
  return charge.adjustable ? parseAmount(values[amountField(charge)] ?? '') : charge.amount;
}

/** The charges as the service is told of them. */
export function orderedCharges(
  charges: readonly PageCharge[],
  values: Values,
): { index: number; amount: number }[] {
  return charges
    .filter((charge) => isChosen(charge, values))
    .map((charge) => ({ index: charge.index, amount: amountOf(charge, values) ?? 0 }));
}

/** Cents; null while a chosen amount is wrong: a sum that holds one is nothing to be told or pressed. */
export function totalOf(charges: readonly PageCharge[], values: Values): number | null {
  const chosen = charges.filter((charge) => isChosen(charge, values));
  if (!chosen.every((charge) => isPayable(charge, amountOf(charge, values)))) return null;
  return orderedCharges(charges, values).reduce((sum, { amount }) => sum + amount, 0);
}

/** `amount`: cents, or null where the field holds none. */
export function isPayable({ maxAmount }: PageCharge, amount: number | null): boolean {
  return amount !== null && amount >= 1 && amount <= maxAmount;
}
