/** Drives a page with the keyboard only. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Presses Tab until `target` has the focus. Throws if the focus went through the whole page without reaching it. */
export async function tabTo(target: Locator): Promise<void> {
  const page = target.page();
  for (let pressed = 0; pressed < 60; pressed++) {
    if (await hasFocus(target)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reached ${String(target)}`);
}

export async function typeInto(target: Locator, text: string): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.type(text);
}

/** Tabs to a button and presses Enter. */
export async function press(target: Locator): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.press('Enter');
}

export function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement).catch(() => false);
}

/** A page sets the initial focus after rendering. */
export const focusOn = (target: Locator): Promise<void> => expect.poll(() => hasFocus(target)).toBe(true);

export async function typeCard(page: Page, number = '4242424242424242'): Promise<void> {
  await typeInto(page.getByLabel('Card number'), number);
  await typeInto(page.getByLabel('Expiry date'), '1234');
  await typeInto(page.getByLabel('Security code'), '123');
  await typeInto(page.getByLabel('Name on card'), 'Dana Reyes');
  await typeInto(page.getByLabel('ZIP code'), '04101');
}

/** The bank account is the last method, so the up arrow on the first one wraps around to it. */
export async function typeBank(page: Page, accountNumber = '000123456789'): Promise<void> {
  const chosen = page.getByRole('radio', { checked: true }).first();
  await tabTo(chosen);
  while (
    !/bank account$/i.test(
      await chosen.getAttribute('aria-labelledby').then((id) => page.locator(`#${id}`).innerText()),
    )
  ) {
    await page.keyboard.press('ArrowDown');
  }
  await typeInto(page.getByLabel('Account holder'), 'Dana Reyes');
  await typeInto(page.getByLabel('Routing number'), '110000000');
  await typeInto(page.getByLabel('Bank account number'), accountNumber);
}
