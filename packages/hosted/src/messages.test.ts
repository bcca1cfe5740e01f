import { expect, it } from 'vitest';
import { INIT, isInit, parseToPage } from './messages.js';
import { offerPort } from './sdk/connect.js';

it('R-56 parses close, focus and init, and nothing else', () => {
  expect(parseToPage({ type: 'close' })).toEqual({ type: 'close', by: 'merchant' });
  expect(parseToPage({ type: 'close', by: 'payer' })).toEqual({ type: 'close', by: 'payer' });
  expect(parseToPage({ type: 'focus' })).toEqual({ type: 'focus' });
  for (const value of [null, 'close', {}, { type: 'ready' }]) expect(parseToPage(value)).toBe(null);
  expect(isInit({ type: INIT })).toBe(true);
  for (const value of [null, INIT, {}, { type: 'ready' }]) expect(isInit(value)).toBe(false);
});

it("R-56 sends the port only to the session's origin", () => {
  const posted: unknown[][] = [];
  const contentWindow = { postMessage: (...message: unknown[]) => void posted.push(message) };
  const port = offerPort({ contentWindow } as never, 'https://pay.example', () => undefined);
  port.close();
  expect(posted).toEqual([[{ type: INIT }, 'https://pay.example', [expect.any(MessagePort)]]]);
});
