import { expect, it } from 'vitest';
import { launch, startService } from '../harness/index.js';
import { visit } from './stage.js';

it('R-70 shows a business unit’s own texts in the form and after it', { tags: ['thorough'] }, async () => {
  const service = await startService({
    businessUnit: {
      messages: { en: { 'payment.total': 'You owe', 'rest.invalid.cardShort': 'Too short!' } },
      paymentFields: [{ key: 'Meter', label: 'Meter', labels: { en: 'Meter number' } }],
    },
  });
  const browser = await launch('chromium');
  const page = await visit(browser, (await service.create('payment')).sessionUrl);
  await page.getByText('You owe').first().waitFor();
  await page.getByLabel('Meter number').waitFor();
  await page.getByLabel('Card number').fill('4242');
  await page.getByRole('button', { name: /^Pay/ }).click();
  await page.getByText('Too short!').first().waitFor();
  expect(await page.getByLabel('Security code').count()).toBe(1);
  await browser.close();
  await service.stop();
});
