/** Parses a processor's answer into an outcome with details, or null. */
import type {
  ChargeOutcome,
  EventOutcome,
  LookupOutcome,
  ProcessorEvent,
  RefundOutcome,
  RequiresAction,
  Told,
} from './port.js';
import { given } from '../../core/given.js';
import { CARD_LENGTHS } from '../../shared/card.js';
import { checkCardNumber } from '../../shared/check-card.js';
import { isRecord, unprintable } from './source.js';

const CHARGE: readonly ChargeOutcome[] = ['succeeded', 'declined', 'pending'];
const LOOKUP: readonly LookupOutcome[] = [...CHARGE, 'returned', 'never_seen'];
const REFUND: readonly RefundOutcome[] = ['succeeded', 'failed', 'pending'];

const EVENT: readonly EventOutcome[] = [...CHARGE, 'returned', 'failed'];

const MAX_WORDS = 200;

/** @param last4 of the charged card or account; text that seems to contain its number is dropped */
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

const MAX_URL = 2_000;

/** Parses an answer that requires the payer, or null. */
export function readAction(answer: unknown, last4: string): RequiresAction | null {
  if (!isRecord(answer) || answer['outcome'] !== 'requires_action') return null;
  const url = isRecord(answer['action']) ? answer['action']['url'] : undefined;
  if (typeof url !== 'string' || url.length > MAX_URL || !URL.canParse(url)) return null;
  const reference = words(answer['reference'], last4) ?? undefined;
  return { outcome: 'requires_action', action: { url: new URL(url).href }, ...given({ reference }) };
}

/**
 * Parses what `receive` resolved, or null. References are compared with stored ones, so they stay as they are until the
 * payment is known.
 */
export function readEvents(answer: unknown): ProcessorEvent[] | null {
  if (!Array.isArray(answer)) return null;
  // Unlike `map`, this also checks the holes of a sparse array.
  const events = Array.from(answer, readEvent);
  return events.includes(null) ? null : (events as ProcessorEvent[]);
}

function readEvent(value: unknown): ProcessorEvent | null {
  if (!isRecord(value)) return null;
  const outcome = EVENT.find((known) => known === value['outcome']);
  if (outcome === undefined) return null;

  const { attemptId, refundId, reference } = value;
  const ids = [attemptId, refundId, reference].filter((id) => id !== undefined);
  const areValid = ids.every((id) => typeof id === 'string' && id !== '' && isShortLine(id));
  if (ids.length === 0 || !areValid) return null;

  const reason = words(value['reason'], '') ?? undefined;
  return { ...given({ attemptId, refundId, reference, reason }), outcome } as ProcessorEvent;
}

const isShortLine = (text: string): boolean => text.length <= MAX_WORDS && !unprintable(text);

function words(value: unknown, last4: string): string | null {
  if (typeof value !== 'string' || value === '' || !isShortLine(value)) return null;
  return holdsCard(value, last4) ? null : value;
}

/** Checks every substring, because other digits may be adjacent. */
function holdsCard(text: string, last4: string): boolean {
  for (const run of text.match(/\d(?:[ -]?\d)*/g) ?? []) {
    const digits = run.replace(/\D/g, '');
    for (let begin = 0; begin < digits.length; begin++)
      for (const length of CARD_LENGTHS) {
        const number = digits.slice(begin, begin + length);
        if (number.endsWith(last4) && checkCardNumber(number) === null) return true;
      }
  }
  return false;
}
