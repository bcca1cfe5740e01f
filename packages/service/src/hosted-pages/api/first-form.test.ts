import { rmSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { writePages } from '../../../test/built-pages.js';
import { config } from '../../../test/merchant.js';
import { open } from '../../../test/payer.js';
import { startTestService } from '../../start/test-service.js';
import { createApp } from '../../app.js';

const pages = writePages();
afterAll(() => rmSync(pages, { recursive: true, force: true }));

/** Whether a session's HTML loads code that a cards-only first form doesn't need. */
async function asksForAll(
  unit: Record<string, unknown>,
  body: Record<string, unknown> = {},
): Promise<boolean> {
  const service = await startTestService({ config: config(unit) });
  try {
    const page = await open(service.fetch, 'payment', body);
    const response = await createApp(service.deps, pages).fetch(
      new Request(`http://service.test/s/${page.id}`),
    );
    expect(response.status).toBe(200);
    return (await response.text()).includes('<link rel="modulepreload" href="../assets/late-1.js">');
  } finally {
    await service.close();
  }
}

it('a form of cards of the home country has all that it shows in its first file', async () => {
  expect(await asksForAll({})).toBe(false);
  expect(await asksForAll({ paymentMethods: ['Credit Card', 'ACH'] })).toBe(false);
});

it('a form that begins with a bank account or a country is given the rest at once', async () => {
  expect(await asksForAll({ paymentMethods: ['ACH', 'Credit Card'] })).toBe(true);
  expect(await asksForAll({}, { PaymentMethods: ['ACH'] })).toBe(true);
  expect(await asksForAll({ countries: ['US', 'CA'] })).toBe(true);
  expect(await asksForAll({ countries: ['CA'] })).toBe(true);
});
