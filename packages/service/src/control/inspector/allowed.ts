/** What of a request and its answer is kept: names of the contract alone, and no value that could be a secret. */
import { openapi } from '@embedded-sessions/server-types/schemas';
import { luhn } from '../../shared/card.js';
import type { Json } from '../../shared/inspector.js';

/** Of what a page sends and is told. */
const PAGE_NAMES = [
  'attemptId',
  'requestId',
  'saveMethod',
  'savedMethodId',
  'makeDefault',
  'methodId',
  'enrolled',
  'charges',
  'index',
  'amount',
  'date',
  'source',
  'method',
  'kinds',
  'email',
  'sms',
  'ok',
  'errors',
  'code',
  'field',
  'reason',
  'data',
  'status',
  'flow',
  'attemptsLeft',
  'inFlight',
  'receipt',
  'paidAt',
  'last4',
  'brand',
  'expiresAt',
  'now',
] as const;

let names: ReadonlySet<string> | undefined;

/** The names of every property that the OpenAPI document knows. */
function known(): ReadonlySet<string> {
  if (names) return names;
  const found = new Set<string>([...PAGE_NAMES, 'payload']);
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, part] of Object.entries(value)) {
      if (name === 'properties' && typeof part === 'object' && part !== null)
        for (const property of Object.keys(part)) found.add(property);
      visit(part);
    }
  };
  visit(openapi());
  names = found;
  return found;
}

/** `…` stands for what is not shown. */
export const HIDDEN = '…';

export function allowed(value: unknown): Json {
  if (Array.isArray(value)) return value.slice(0, 100).map(allowed);
  if (typeof value === 'string') return shown(value);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [shown(name), known().has(name) ? allowed(part) : HIDDEN]),
    );
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** A session's address without its secret, a text without what could be a card number, a key or a secret. */
function shown(text: string): string {
  return text
    .slice(0, 2_000)
    .replace(/#[\w-]{16,}/g, `#${HIDDEN}`)
    .replace(/\bwhsec_[\w+/=-]+|\b(?:stg|prd|dev)_[\w-]*key[\w-]*/gi, HIDDEN)
    .replace(/\d(?:[ -]?\d){11,18}/g, (digits) => (luhn(digits.replace(/\D/g, '')) ? HIDDEN : digits));
}
