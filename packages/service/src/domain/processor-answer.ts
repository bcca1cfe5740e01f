/** Reads what a processor answered: one of the outcomes with what goes with it, or nothing. */
import type { ChargeOutcome, LookupOutcome, RefundOutcome, Told } from './processor.js';
import { luhn } from '../shared/check-card.js';
import { isRecord, unprintable } from './source.js';

const CHARGE: readonly ChargeOutcome[] = ['succeeded', 'declined', 'pending'];
const LOOKUP: readonly LookupOutcome[] = [...CHARGE, 'returned', 'never_seen'];
const REFUND: readonly RefundOutcome[] = ['succeeded', 'failed', 'pending'];

const MAX_WORDS = 200;

/** @param last4 of the card or account that was charged: what seems to hold its number is not kept */
type Read<Outcome extends string> = (answer: unknown, last4: string) => Told<Outcome> | null;

export const readCharge: Read<ChargeOutcome> = reader(CHARGE);
export const readLookup: Read<LookupOutcome> = reader(LOOKUP);
export const readRefund: Read<RefundOutcome> = reader(REFUND);

function reader<Outcome extends string>(outcomes: readonly Outcome[]): Read<Outcome> {
  return (answer, last4) => {
    const told = isRecord(answer) ? answer : { outcome: answer };
    const outcome = outcomes.find((known) => known === told['outcome']);
    if (outcome === undefined) return null;
    const reason = words(told['reason'], last4);
    const reference = words(told['reference'], last4);
    return {
      outcome,
      ...(reason === null ? {} : { reason }),
      ...(reference === null ? {} : { reference }),
    };
  };
}

function words(value: unknown, last4: string): string | null {
  if (typeof value !== 'string' || value === '' || value.length > MAX_WORDS || unprintable(value))
    return null;
  const numbers = value.match(/\d(?:[ -]?\d){11,18}/g) ?? [];
  const isCard = numbers
    .map((number) => number.replace(/\D/g, ''))
    .some((number) => number.endsWith(last4) && luhn(number));
  return isCard ? null : value;
}
