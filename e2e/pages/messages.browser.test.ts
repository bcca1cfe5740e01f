/** Messages to payers: sending a receipt from the page, and the layout of messages. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderMessage } from '../../packages/service/src/messages/render.js';
import { MESSAGE_KINDS } from '../../packages/service/src/messages/rules.js';
import { LANGUAGES } from '../../packages/service/src/shared/languages.js';
import {
  axeViolations,
  DISPLAYS,
  holdResponses,
  launch,
  openTab,
  payByCard,
  type Service,
  startService,
} from '../harness/index.js';
import { focusOn } from './keyboard.js';
import { visit } from './stage.js';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  [browser, service] = await Promise.all([
    launch('chromium'),
    startService({ settings: { email: { from: 'Harborlight Water <bills@water.example>' } } }),
  ]);
});
afterAll(async () => {
  await service?.stop();
  await browser?.close();
});

it('R-104 sends the receipt to an address entered by a payer without a customer record', async () => {
  const { sessionUrl } = await service.create('payment');
  const page = await visit(browser, sessionUrl);
  await payByCard(page);
  const field = page.getByLabel('Email address');
  expect(await field.getAttribute('inputmode')).toBe('email');
  await field.fill('ada@example');
  const send = page.getByRole('button', { name: 'Email this receipt' });
  // Each time, screen readers announce the problem with the field.
  for (let press = 0; press < 2; press++) {
    await send.click();
    await page.getByText('Enter an email address such as').waitFor();
    await focusOn(field);
  }
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await axeViolations(page)).toEqual([]);

  await field.fill('ada@example.com');
  const respond = await holdResponses(page, '**/email');
  await send.click();
  // Otherwise the page could name an address that was typed afterwards.
  await expect.poll(() => field.isDisabled()).toBe(true);
  respond();
  const sent = page.getByText('Sent to ada@example.com.');
  await sent.waitFor();
  expect(await sent.evaluate((element) => element === document.activeElement)).toBe(true);
  const { messages = [] } = (await service.control.state()) as { messages?: { kind: string; to: string }[] };
  expect(messages).toMatchObject([{ kind: 'receipt', to: 'ada@example.com' }]);
  await page.close();
});

describe('R-104 every message in every language', () => {
  const unit = {
    name: 'Harborlight Water <b>&</b>',
    appearance: { accent: '#0b6e75' },
    links: { help: 'https://water.example/help' },
    timeZone: 'America/New_York',
  };
  const facts = {
    amount: 123_456,
    date: '2026-12-01',
    method: 'Credit Card',
    brand: 'Visa',
    last4: '4242',
    accountNumbers: ['HW-20480-0000-1111-2222', 'HW-20481'],
    receiptNumber: '61783 74105',
  } as const;
  const message = { facts, createdAt: Date.UTC(2026, 10, 26) };

  it('fits in 320 px, light and dark, without accessibility violations', { tags: 'thorough' }, async () => {
    const page = await openTab(browser);
    for (const [width, colorScheme] of DISPLAYS) {
      await page.setViewportSize({ width, height: 700 });
      await page.emulateMedia({ colorScheme });
      for (const [place, language] of LANGUAGES.entries()) {
        const kind = MESSAGE_KINDS[place % MESSAGE_KINDS.length] ?? 'receipt';
        const { html } = renderMessage(
          { ...message, kind, language },
          unit,
          'https://pay.example/unsubscribe/1',
        );
        await page.setContent(html);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        expect(await axeViolations(page), `${kind} in ${language}, ${colorScheme}`).toEqual([]);
      }
    }
    await page.close();
  });
});
