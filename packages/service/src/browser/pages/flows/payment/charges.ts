/** Which charges are paid, and how much of each: from the form's fields, purely. */
import type { PageCharge } from '../../../../shared/page.js';
import type { Problems, Values } from '../../kit/design/form.js';
import { amountText, money, parseAmount } from '../../kit/format/money.js';
import { t } from '../../kit/text/index.js';

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

export function checkCharges(charges: readonly PageCharge[], values: Values): Problems {
  const problems: Record<string, string> = {};
  const chosen = charges.filter((charge) => isChosen(charge, values));
  const [first] = charges;
  if (chosen.length === 0 && first !== undefined) problems[chosenField(first)] = t.invalid.nothingChosen;
  for (const charge of chosen) {
    const amount = amountOf(charge, values);
    if (amount === null) problems[amountField(charge)] = t.invalid.amount;
    else if (amount < 1 || amount > charge.maxAmount) {
      problems[amountField(charge)] = t.invalid.amountRange(money(1), money(charge.maxAmount));
    }
  }
  return problems;
}

/** The charges as the service is told of them; an amount that is no amount counts as nothing. */
export function orderedCharges(
  charges: readonly PageCharge[],
  values: Values,
): { index: number; amount: number }[] {
  return charges
    .filter((charge) => isChosen(charge, values))
    .map((charge) => ({ index: charge.index, amount: amountOf(charge, values) ?? 0 }));
}

export function totalOf(charges: readonly PageCharge[], values: Values): number {
  return orderedCharges(charges, values).reduce((sum, { amount }) => sum + amount, 0);
}
