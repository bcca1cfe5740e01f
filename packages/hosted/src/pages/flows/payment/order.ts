import { MAX_FIELD_VALUE } from '@shared/limits.js';
import type { PageCharge, PageField, PaymentPageSession } from '@shared/page.js';
import type { Problems, Values } from '../../kit/design/form.js';
import { money } from '../../kit/format/money.js';
import { checkSource, newSource, typed, agreed } from '../../kit/source/source-check.js';
import { savedIdOf } from '../../kit/source/source-form.js';
import { rest } from '../../kit/text/index.js';
import { amountField, amountOf, chosenField, isChosen, maxAmountOf, payableOf } from './charges.js';
import { inputName, openFields, SAVE } from './fields.js';
import type { Order } from './payment-state.js';

/** Returns problems in the order of the form. */
export function checkOrder(session: PaymentPageSession, values: Values): Problems {
  return {
    ...checkCharges(session.charges, values),
    ...checkFields(session.fields, values),
    ...checkSource(values, session.now),
  };
}

/** Builds the request body from a valid form. `authorizes`: the payer authorizes a bank debit. */
export function orderOf(session: PaymentPageSession, values: Values, authorizes: boolean): Order | null {
  const savedMethodId = savedIdOf(values);
  const source = savedMethodId === null ? newSource(values, session.now) : { savedMethodId };
  return (
    source && {
      source,
      saveMethod: session.canSave && savedMethodId === null && values[SAVE] === 'yes',
      charges: orderedCharges(session.charges, values),
      fields: fieldValues(session.fields, values),
      ...(authorizes ? { authorization: agreed(session) } : {}),
    }
  );
}

/** The charges to pay, as the service expects them. */
export function orderedCharges(
  charges: readonly PageCharge[],
  values: Values,
): { index: number; amount: number }[] {
  return charges
    .filter((charge) => isChosen(charge, values))
    .map((charge) => ({ index: charge.index, amount: amountOf(charge, values) ?? 0 }));
}

export function checkCharges(charges: readonly PageCharge[], values: Values): Problems {
  const problems: Record<string, string> = {};
  const chosen = charges.filter((charge) => isChosen(charge, values));
  const [first] = charges;
  if (chosen.length === 0 && first !== undefined) problems[chosenField(first)] = rest.invalid.nothingChosen;
  for (const charge of chosen) {
    const problem = amountProblem(charge, charges, values);
    if (problem !== null) problems[amountField(charge)] = problem;
  }
  return problems;
}

function amountProblem(charge: PageCharge, charges: readonly PageCharge[], values: Values): string | null {
  if (amountOf(charge, values) === null) return rest.invalid.amount;
  if (payableOf(charge, charges, values) > 0) return null;
  return rest.invalid.amountRange(money(1), money(maxAmountOf(charge, charges, values)));
}

function checkFields(fields: readonly PageField[], values: Values): Problems {
  const problems: Record<string, string> = {};
  for (const field of openFields(fields)) {
    const value = typed(values[inputName(field)]);
    if (field.required && value === '') {
      problems[inputName(field)] = rest.invalid.required;
    } else if (value.length > MAX_FIELD_VALUE) problems[inputName(field)] = rest.invalid.tooLong;
  }
  return problems;
}

/** Omits empty optional fields. */
function fieldValues(fields: readonly PageField[], values: Values): Record<string, string> {
  return Object.fromEntries(
    openFields(fields)
      .map((field) => [field.key, typed(values[inputName(field)])] as const)
      .filter(([, value]) => value !== ''),
  );
}
