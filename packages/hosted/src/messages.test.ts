import { expect, it } from 'vitest';
import { INIT, isInit, parseFromPage, parseToPage } from './messages.js';
import { offerPort } from './sdk/offer-port.js';

it.each([
  { type: 'ready' },
  { type: 'ready', lang: 'fr' },
  { type: 'resize', height: 812.5 },
  { type: 'reveal', top: 400, height: 32 },
  { type: 'state', state: 'processing' },
  { type: 'state', state: 'processing', words: 'One moment.' },
  { type: 'completed', sessionId: 'stg_1', detail: { Status: 'Succeeded' } },
  { type: 'close-request', reason: 'escape' },
  { type: 'close-request', reason: 'done', next: 'autopay' },
  { type: 'expired' },
  { type: 'error', message: 'This session is unknown.' },
])('R-56 the SDK understands %j', (message) => {
  expect(parseFromPage(message)).toEqual(message);
});

it.each([
  null,
  undefined,
  'ready',
  7,
  [],
  {},
  { type: 'fireworks' },
  { type: 'toString' },
  { type: 'resize', height: '812' },
  { type: 'resize', height: Number.NaN },
  { type: 'resize', height: Infinity },
  { type: 'reveal', top: 400 },
  { type: 'state', state: 'paid' },
  { type: 'state', state: ['processing'] },
  { type: 'state', state: 'processing', words: 7 },
  { type: 'completed' },
  { type: 'completed', sessionId: 1 },
  { type: 'close-request', reason: 'bored' },
  { type: 'close-request', reason: 'done', next: 'wallet' },
  { type: 'error' },
  { type: INIT },
])('R-56 the SDK ignores %j', (message) => {
  expect(parseFromPage(message)).toBe(null);
});

it('R-56 the page understands close and focus, and init by its name alone', () => {
  expect(parseToPage({ type: 'close' })).toEqual({ type: 'close', by: 'merchant' });
  expect(parseToPage({ type: 'close', by: 'payer' })).toEqual({ type: 'close', by: 'payer' });
  expect(parseToPage({ type: 'focus' })).toEqual({ type: 'focus' });
  for (const value of [null, 'close', {}, { type: 'ready' }]) expect(parseToPage(value)).toBe(null);
  expect(isInit({ type: INIT })).toBe(true);
  for (const value of [null, INIT, {}, { type: 'ready' }]) expect(isInit(value)).toBe(false);
});

it('R-56 what a page answers over goes to the origin of the session and to no other that its frame may hold', () => {
  const posted: unknown[][] = [];
  const contentWindow = { postMessage: (...message: unknown[]) => void posted.push(message) };
  const port = offerPort({ contentWindow } as never, 'https://pay.example', () => undefined);
  port.close();
  expect(posted).toEqual([[{ type: INIT }, 'https://pay.example', [expect.any(MessagePort)]]]);
});
