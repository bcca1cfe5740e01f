/** Decides what a payer may pay in a session. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { isBlank } from '@embedded-sessions/server-types/schemas';
import type { PaymentSessionRequest } from '../../core/requests.js';
import { MAX_FIELD_VALUE } from '../../shared/limits.js';
import type { OfferedCharge, PageField } from '../../shared/page.js';
import { accountKey, accountText } from '../../accounts/rules/account-sync.js';
import { defined } from '../../core/defined.js';
import type { ChosenCharge } from './attempt.js';
import { ok, invalid, type Validated, type Problem } from '../../core/result.js';
import { isRecord, unprintable } from '../../processor/rules/source.js';

type Charges = PaymentSessionRequest['Charges'];

/**
 * with several accounts the payer selects which ones to pay and, if the business unit allows it, adjusts amounts.
 * charges without an account are fixed, and an adjusted amount is at most the larger of `Amount` and `Balance`.
 */
export function offeredCharges(charges: Charges, allowAmountAdjustment: boolean): OfferedCharge[] {
  const accounts = chargesByAccount(charges);
  const groups = new Map([...accounts].map(([key, indexes]) => [key, groupOf(charges, indexes)]));

  return charges.map(({ Amount: amount, ClientAccount: account }, index) => {
    const selectable = accounts.size > 1 && account !== undefined;
    const adjustable = selectable && allowAmountAdjustment;
    const group = account && groups.get(keyOf(account));
    const balance = Math.min(account?.Balance ?? 0, group?.maxAmount ?? Infinity);
    const maxAmount = adjustable ? Math.max(amount, balance) : amount;
    return { index, amount, selectable, adjustable, maxAmount, ...defined({ group }) };
  });
}

function chargesByAccount(charges: Charges): Map<string, number[]> {
  const accounts = new Map<string, number[]>();
  charges.forEach(({ ClientAccount: account }, index) => {
    if (account === undefined) return;
    const key = keyOf(account);
    accounts.set(key, [...(accounts.get(key) ?? []), index]);
  });
  return accounts;
}

function keyOf(account: NonNullable<Charges[number]['ClientAccount']>): string {
  return accountText(accountKey(account));
}

/** The last charge decides the balance, as for other account fields (D-3). */
function groupOf(charges: Charges, indexes: readonly number[]): OfferedCharge['group'] {
  const [first] = indexes;
  if (first === undefined || indexes.length === 1) return undefined;

  const accountCharges = indexes.flatMap((index) => charges[index] ?? []);
  const sum = accountCharges.reduce((total, { Amount }) => total + Amount, 0);
  const balance = accountCharges.at(-1)?.ClientAccount?.Balance ?? 0;
  return { first, maxAmount: Math.max(sum, balance) };
}

/** More than a page can send. Ignore the rest. */
const MAX_ITEMS = 100;

/** Checks the charges selected on a page. Returns them with their total in cents, or every problem. */
export function chooseCharges(
  offered: readonly OfferedCharge[],
  input: unknown,
): Validated<{ charges: ChosenCharge[]; total: number }> {
  const items: unknown[] = Array.isArray(input) ? input.slice(0, MAX_ITEMS) : [];
  const { amounts, problems } = readAmounts(offered, items);
  const charges = offered.flatMap(({ index }) => {
    const amount = amounts.get(index);
    return amount === undefined ? [] : [{ index, amount }];
  });

  if (offered.some(({ index, selectable }) => !selectable && !amounts.has(index)))
    problems.push({ field: 'charges', message: 'This charge cannot be deselected.' });
  if (problems.length === 0) problems.push(...checkGroups(offered, charges));
  if (problems.length > 0) return invalid(...problems);

  if (charges.length === 0)
    return invalid({ field: 'charges', message: 'Choose at least one account to pay.' });

  const total = sumOf(charges);
  if (!Number.isSafeInteger(total))
    return invalid({ field: 'charges', message: 'The total exceeds the maximum for one payment.' });

  return ok({ charges, total });
}

function readAmounts(offered: readonly OfferedCharge[], items: readonly unknown[]) {
  const amounts = new Map<number, number>();
  const problems: Problem[] = [];

  items.forEach((item, position) => {
    const { index, amount } = isRecord(item) ? item : {};
    const charge = offered.find((one) => one.index === index);
    if (!charge || amounts.has(charge.index)) {
      const message = 'Choose each charge of the session at most once.';
      problems.push({ field: `charges[${position}].index`, message });
      return;
    }

    if (!isPayable(charge, amount))
      problems.push({ field: `charges[${position}].amount`, message: amountMessage(charge) });
    amounts.set(charge.index, amount as number);
  });
  return { amounts, problems };
}

function isPayable({ adjustable, amount, maxAmount }: OfferedCharge, requested: unknown): boolean {
  if (!adjustable) return requested === amount;

  return Number.isSafeInteger(requested) && (requested as number) >= 1 && (requested as number) <= maxAmount;
}

/** charges for one account are selected together and share a maximum. */
function checkGroups(offered: readonly OfferedCharge[], chosen: readonly ChosenCharge[]): Problem[] {
  const groups = new Map(offered.flatMap(({ group }) => (group ? [[group.first, group]] : [])));

  return [...groups.values()].flatMap(({ first, maxAmount }): Problem[] => {
    const members = new Set(offered.flatMap(({ index, group }) => (group?.first === first ? [index] : [])));
    const accountCharges = chosen.filter(({ index }) => members.has(index));
    if (accountCharges.length > 0 && accountCharges.length < members.size)
      return [
        { field: 'charges', message: 'Charges for one account are paid together: choose all or none.' },
      ];
    if (sumOf(accountCharges) > maxAmount)
      return [{ field: 'charges', message: `Pay at most ${dollars(maxAmount)} for this account.` }];
    return [];
  });
}

const sumOf = (charges: readonly ChosenCharge[]): number =>
  charges.reduce((sum, { amount }) => sum + amount, 0);

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

function amountMessage(charge: OfferedCharge): string {
  return charge.adjustable
    ? `Enter an amount from $0.01 to ${dollars(charge.maxAmount)}.`
    : `This amount is fixed at ${dollars(charge.amount)}.`;
}

/** the business unit's methods, in its order, unless the session excludes them. */
export function offeredMethods(
  enabled: readonly PaymentMethod[],
  narrowedTo: readonly PaymentMethod[] | undefined,
): PaymentMethod[] {
  return enabled.filter((method) => !narrowedTo || narrowedTo.includes(method));
}

/** checks the fields that the page asks for. The merchant's own values can't be replaced. */
export function checkFields(
  configured: readonly Pick<PageField, 'key' | 'label' | 'required'>[],
  merchantFields: PaymentSessionRequest['PaymentFields'],
  input: unknown,
): Validated<Record<string, string>> {
  const problems: Problem[] = [];
  const values: Record<string, string> = {};
  const fields = isRecord(input) ? input : {};
  for (const field of configured) {
    if (merchantFields && Object.hasOwn(merchantFields, field.key)) continue;

    const raw = Object.hasOwn(fields, field.key) ? fields[field.key] : undefined;
    const value = typeof raw === 'string' && !isBlank(raw) ? raw.trim() : '';
    const path = `fields.${field.key}`;
    if (value === '' && field.required) problems.push({ field: path, message: `Enter ${field.label}.` });
    else if (value.length > MAX_FIELD_VALUE)
      problems.push({ field: path, message: `Use at most ${MAX_FIELD_VALUE} characters.` });
    else if (unprintable(value))
      problems.push({ field: path, message: 'Remove the characters that cannot be shown.' });
    else if (value !== '') values[field.key] = value;
  }
  return problems.length > 0 ? invalid(...problems) : ok(values);
}

/** D-8: saving a method requires a customer. */
export function checkSave(input: unknown, customerId: string | undefined): Validated<boolean> {
  if (input === undefined || input === false) return ok(false);
  if (input === true && customerId !== undefined) return ok(true);
  return invalid({ field: 'saveMethod', message: 'This payment method cannot be saved here.' });
}
