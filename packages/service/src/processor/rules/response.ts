/** Parses a processor's response into an outcome with details, or null. */
import type {
  ChargeOutcome,
  EventOutcome,
  LookupOutcome,
  PaymentSource,
  ProcessorEvent,
  RefundOutcome,
  RequiresAction,
  ProcessorResult,
  SourceRefused,
  Tokenized,
} from './port.js';
import { isOwnReason } from '../../payments/rules/attempt.js';
import { returnCode } from '../../wallet/rules.js';
import { defined } from '../../core/defined.js';
import { inert } from '../../shared/inert.js';
import { isRecord, unprintable } from './source.js';
import { containsLongNumber, containsNumber } from './typed-number.js';

const CHARGE: readonly ChargeOutcome[] = ['succeeded', 'declined', 'pending'];
const LOOKUP: readonly LookupOutcome[] = [...CHARGE, 'returned', 'never_seen'];
const REFUND: readonly RefundOutcome[] = ['succeeded', 'failed', 'pending'];

const EVENT: readonly EventOutcome[] = [...CHARGE, 'returned', 'failed'];

const MAX_LINE_LENGTH = 200;

/** @param amount cents that were to be charged or refunded */
type Read<Outcome extends string> = (response: unknown, amount?: number) => ProcessorResult<Outcome> | null;

export const readCharge: Read<ChargeOutcome> = reader(CHARGE);
export const readLookup: Read<LookupOutcome> = reader(LOOKUP);
export const readRefund: Read<RefundOutcome> = reader(REFUND);

function reader<Outcome extends string>(outcomes: readonly Outcome[]): Read<Outcome> {
  return (response, amount) => {
    const fields = isRecord(response) ? response : { outcome: response };
    const outcome = outcomes.find((known) => known === fields['outcome']);
    if (outcome === undefined || !isOfAmount(fields, amount)) return null;

    const reason = reasonIn(fields);
    const reference = shortText(fields['reference']);
    return { outcome, ...defined({ reason, reference }) };
  };
}

function isOfAmount({ amount, currency }: Record<string, unknown>, expected: number | undefined): boolean {
  if (amount !== undefined && expected !== undefined && amount !== expected) return false;
  return currency === undefined || (typeof currency === 'string' && /^usd$/i.test(currency));
}

const MAX_TOKEN = 4_000;
const MAX_FINGERPRINT = 200;
const MAX_LAST_DIGITS = 4;

/** Parses the result of `tokenize`; null if it can't be stored, for example because it contains the number. */
export function readToken(response: unknown, source: PaymentSource): Tokenized | null {
  if (!isRecord(response)) return null;
  const { token, brand, last4, fingerprint } = response;
  const isText = (value: unknown, maxLength: number): value is string =>
    typeof value === 'string' && value.length <= maxLength && !unprintable(value);
  const isSafe = (value: unknown, maxLength: number): boolean =>
    isText(value, maxLength) && !containsNumber(value, numberOf(source));

  const isValid =
    isSafe(token, MAX_TOKEN) &&
    token !== '' &&
    // May equal a short account number, so `isSafe` would reject it.
    isText(last4, MAX_LAST_DIGITS) &&
    (brand === undefined || isSafe(brand, MAX_LINE_LENGTH)) &&
    (fingerprint === undefined || isSafe(fingerprint, MAX_FINGERPRINT));
  // Copied, because a class instance or a getter could have other fields when it is stored.
  return isValid ? ({ token, brand, last4, fingerprint } as Tokenized) : null;
}

/**
 * Reads a {@link SourceRefused}; null for anything else that a module throws. Checks only `code`, so that modules needn't
 * import this package.
 */
export function readRefusal(error: unknown): { field: string; message: string } | null {
  if (!(error instanceof Error)) return null;

  const { code, field, message } = error as Partial<SourceRefused>;
  if (code !== 'source_refused' || typeof message !== 'string') return null;

  const isField = typeof field === 'string' && /^[A-Za-z]{1,40}$/.test(field);
  return { field: isField ? `source.${field}` : 'source', message: inert(message) };
}

/** The card or account number, which must not be stored. */
export function numberOf(source: PaymentSource): string {
  return source.method === 'ACH' ? source.accountNumber : source.cardNumber;
}

const MAX_URL = 2_000;

export function readAction(response: unknown): RequiresAction | null {
  if (!isRecord(response) || response['outcome'] !== 'requires_action') return null;
  const url = isRecord(response['action']) ? response['action']['url'] : undefined;
  if (typeof url !== 'string' || url.length > MAX_URL || !URL.canParse(url)) return null;
  const { href, protocol } = new URL(url);
  if (!/^https?:$/.test(protocol)) return null;
  const reference = shortText(response['reference']);
  return { outcome: 'requires_action', action: { url: href }, ...defined({ reference }) };
}

/**
 * Parses the result of `receive`, or returns null. References stay unchanged, because they are compared with stored ones.
 */
export function readEvents(response: unknown): ProcessorEvent[] | null {
  if (!Array.isArray(response)) return null;
  const events = response.map(readEvent);
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

  const { amount, currency } = value;
  if (amount !== undefined && !Number.isSafeInteger(amount)) return null;
  if (currency !== undefined && !(typeof currency === 'string' && isShortLine(currency))) return null;

  const reason = reasonIn(value);
  return {
    ...defined({ attemptId, refundId, reference, reason, amount, currency }),
    outcome,
  } as ProcessorEvent;
}

const isShortLine = (text: string): boolean => text.length <= MAX_LINE_LENGTH && !unprintable(text);

/**
 * Keeps only the return code of a long text or one with several lines, and of text that may have the number of a
 * card or account, which banks repeat. Marks text that equals one of the service's own reasons, which mean that nothing
 * was sent.
 */
function reasonIn({ reason }: Record<string, unknown>): string | undefined {
  if (typeof reason !== 'string') return undefined;
  if (!isShortLine(reason) || containsLongNumber(reason)) return returnCode(reason.slice(0, MAX_LINE_LENGTH));
  return isOwnReason(reason) ? `processor: ${reason}` : reason || undefined;
}

/**
 * Whether a reason is a code, such as `insufficient_funds` or `R01`. Other texts may name the payer, and three digits could
 * be a security code.
 */
export function isReasonCode(reason: string): boolean {
  return /^(?!(?:\D*\d){3})[\w.-]{1,60}$/.test(reason);
}

/** The loggable part of a processor's reason. */
export function reasonCodes(reason: string | undefined): { codes?: string[] } {
  return reason !== undefined && isReasonCode(reason) ? { codes: [reason] } : {};
}

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && isShortLine(value) ? value : undefined;
}
