/** What a payer may pay in a payment session, decided without a database. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { PaymentSessionRequest } from '../../core/requests.js';
import { MAX_FIELD_VALUE } from '../../shared/limits.js';
import type { ChosenCharge } from './attempt.js';
import { done, invalid } from '../../core/outcome.js';
import type { Checked, Problem } from '../../core/outcome.js';
import { isRecord, unprintable } from '../../processor/rules/source.js';

export interface OfferedCharge {
  readonly index: number;
  /** Cents, as the merchant asked. */
  readonly amount: number;
  /** The payer may leave it out. */
  readonly selectable: boolean;
  /** The payer may pay another amount, from 1 to `maxAmount`. */
  readonly adjustable: boolean;
  /** Cents. */
  readonly maxAmount: number;
}

/**
 * with several accounts the payer selects which to pay and, where the business unit allows it, adjusts
 * amounts; R-59: charges without an account are fixed, and an adjusted amount is at most the larger of `Amount`
 * and `Balance`.
 */
export function offeredCharges(
  charges: PaymentSessionRequest['Charges'],
  allowAmountAdjustment: boolean,
): OfferedCharge[] {
  const several = charges.filter((charge) => charge.ClientAccount).length > 1;
  return charges.map((charge, index) => {
    const selectable = several && charge.ClientAccount !== undefined;
    const adjustable = selectable && allowAmountAdjustment;
    const balance = charge.ClientAccount?.Balance ?? 0;
    return {
      index,
      amount: charge.Amount,
      selectable,
      adjustable,
      maxAmount: adjustable && balance > charge.Amount ? balance : charge.Amount,
    };
  });
}

/** The charges that a page asks to pay, with their total in cents; every problem at once. */
export function chooseCharges(
  offered: readonly OfferedCharge[],
  input: unknown,
): Checked<{ charges: ChosenCharge[]; total: number }> {
  const problems: Problem[] = [];
  const chosen = new Map<number, number>();
  const items: unknown[] = Array.isArray(input) ? input.slice(0, 100) : [];
  items.forEach((item, place) => {
    const given = isRecord(item) ? item : {};
    const charge = offered.find(({ index }) => index === given['index']);
    if (!charge || chosen.has(charge.index)) {
      problems.push({
        field: `charges[${place}].index`,
        message: 'Choose each charge of the session at most once.',
      });
      return;
    }
    const amount = given['amount'];
    const right = charge.adjustable
      ? typeof amount === 'number' &&
        Number.isSafeInteger(amount) &&
        amount >= 1 &&
        amount <= charge.maxAmount
      : amount === charge.amount;
    if (!right) problems.push({ field: `charges[${place}].amount`, message: amountMessage(charge) });
    chosen.set(charge.index, amount as number);
  });
  for (const charge of offered) {
    if (!charge.selectable && !chosen.has(charge.index)) {
      problems.push({ field: 'charges', message: 'This charge cannot be left out.' });
    }
  }
  if (problems.length === 0 && chosen.size === 0) {
    problems.push({ field: 'charges', message: 'Choose at least one account to pay.' });
  }
  const charges = offered.flatMap(({ index }) => {
    const amount = chosen.get(index);
    return amount === undefined ? [] : [{ index, amount }];
  });
  const total = charges.reduce((sum, { amount }) => sum + amount, 0);
  if (problems.length === 0 && !Number.isSafeInteger(total)) {
    problems.push({ field: 'charges', message: 'The total is more than can be paid at once.' });
  }
  return problems.length > 0 ? invalid(...problems) : done({ charges, total });
}

function amountMessage(charge: OfferedCharge): string {
  const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;
  return charge.adjustable
    ? `Enter an amount from $0.01 to ${dollars(charge.maxAmount)}.`
    : `This amount is fixed at ${dollars(charge.amount)}.`;
}

/** what the business unit has enabled, narrowed by the session; the order is the business unit's. */
export function offeredMethods(
  enabled: readonly PaymentMethod[],
  narrowedTo: readonly PaymentMethod[] | undefined,
): PaymentMethod[] {
  return enabled.filter((method) => !narrowedTo || narrowedTo.includes(method));
}

export interface ConfiguredField {
  readonly key: string;
  readonly label: string;
  readonly required: boolean;
}

/** the values of the fields that the page had to ask for; what the merchant gave cannot be replaced. */
export function checkFields(
  configured: readonly ConfiguredField[],
  given: PaymentSessionRequest['PaymentFields'],
  input: unknown,
): Checked<Record<string, string>> {
  const problems: Problem[] = [];
  const values: Record<string, string> = {};
  const asked = isRecord(input) ? input : {};
  for (const field of configured) {
    if (given && Object.hasOwn(given, field.key)) continue;
    const raw = Object.hasOwn(asked, field.key) ? asked[field.key] : undefined;
    const value = typeof raw === 'string' ? raw.trim() : '';
    const path = `fields.${field.key}`;
    if (value === '' && field.required) problems.push({ field: path, message: `Enter ${field.label}.` });
    else if (value.length > MAX_FIELD_VALUE)
      problems.push({ field: path, message: `Use at most ${MAX_FIELD_VALUE} characters.` });
    else if (unprintable(value))
      problems.push({ field: path, message: 'Remove the characters that cannot be shown.' });
    else if (value !== '') values[field.key] = value;
  }
  return problems.length > 0 ? invalid(...problems) : done(values);
}

/** D-8: only a customer's method can be saved. */
export function checkSave(input: unknown, customerId: string | undefined): Checked<boolean> {
  if (input === undefined || input === false) return done(false);
  if (input === true && customerId !== undefined) return done(true);
  return invalid({ field: 'saveMethod', message: 'This payment method cannot be saved here.' });
}
