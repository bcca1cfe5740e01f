// Makes one payment in a browser, from the merchant's page until the merchant shows it as paid.
import { createRequire } from 'node:module';
import { CHROMIUM_ARGUMENTS, findEngine } from './engines.mjs';
import { installEngines } from './with-engines.mjs';

const { chromium } = createRequire(new URL('../e2e/package.json', import.meta.url))('playwright-core');

/** Pays the bill on the React page. Resolves with the receipt as text; rejects with the error. */
export async function payOnce({ reactUrl, output }) {
  const installed = await installEngines();
  const executablePath = findEngine('chromium');
  if (executablePath === null)
    throw new Error(`The check needs Chromium, which is not installed.\n${installed.output}`);
  const browser = await chromium.launch({
    executablePath,
    args: CHROMIUM_ARGUMENTS,
  });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(reactUrl);
    await page.getByRole('button', { name: /^Pay \$/ }).click();
    const form = page.frameLocator('iframe');
    await form.getByLabel('Card number').fill('4242 4242 4242 4242');
    await form.getByLabel('Expiry date').fill('12/34');
    await form.getByLabel('Security code').fill('123');
    await form.getByLabel('Name on card').fill('Ana Reyes');
    await form.getByLabel('ZIP code').fill('04101');
    await form.getByRole('button', { name: /^Pay \$/ }).click();
    await form.getByRole('heading', { name: 'Payment complete' }).waitFor();
    const receipt = (await form.locator('main').innerText()).replace(/\s*Done\s*$/, '');
    // This click removes the frame, so await its effect instead of the click.
    void form
      .getByRole('button', { name: 'Done' })
      .click()
      .catch(() => {});
    const confirmed = await page.getByText(/^Thank you\. We received \$/).innerText();
    return `${receipt}\n\nAnd the merchant's page, after its backend had asked the service:\n${confirmed}`;
  } catch (error) {
    throw new Error(`The payment did not go through: ${error.message}\n${output()}`, { cause: error });
  } finally {
    await browser.close();
  }
}
