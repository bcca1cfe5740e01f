/** Common steps of browser tests: fill the payment form by its labels, collect errors, run axe. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, FrameLocator, Locator, Page } from 'playwright-core';

export const CARD_OK = '4242 4242 4242 4242';
export const CARD_DECLINED = '4000 0000 0000 0002';
const ROUTING = '110000000';
export const BANK_OK = '000123456789';

/** A page, a frame, or any part of one. */
export type Scope = Page | FrameLocator | Frame | Locator;

/**
 * Chooses a new method, whose label differs if there are saved ones. Uses the keyboard, like `pressPay`. Does nothing
 * if the payer enters a saved card again, because then there is no choice.
 */
async function chooseNew(scope: Scope, alone: string, besideSaved: string): Promise<void> {
  const named = (name: string) => scope.getByRole('radio', { name, exact: true });
  const radio = named(alone).or(named(besideSaved));
  await radio.or(scope.getByLabel('Card number')).first().waitFor();
  if ((await radio.count()) === 0) return;
  if (!(await radio.isChecked())) await radio.press('Space');
}

export async function fillCard(
  scope: Scope,
  cardNumber: string = CARD_OK,
  postcode: Record<string, string> = { 'ZIP code': '04101' },
): Promise<void> {
  await chooseNew(scope, 'Card', 'New card');
  await scope.getByLabel('Card number').fill(cardNumber);
  await scope.getByLabel('Expiry date').fill('12/34');
  await scope.getByLabel('Security code').fill('123');
  await scope.getByLabel('Name on card').fill('Dana Reyes');
  for (const [label, value] of Object.entries(postcode)) await scope.getByLabel(label).fill(value);
}

export async function fillBank(scope: Scope, accountNumber: string = BANK_OK): Promise<void> {
  await chooseNew(scope, 'Bank account', 'New bank account');
  await scope.getByLabel('Account holder').fill('Dana Reyes');
  await scope.getByLabel('Routing number').fill(ROUTING);
  await scope.getByLabel('Bank account number').fill(accountNumber);
}

/**
 * Presses Pay with the keyboard. If the page scrolls to a button in a frame, Chromium sometimes uses different layouts for
 * mouse-down and mouse-up and misses the button.
 */
export const pressPay = (scope: Scope): Promise<void> =>
  scope.getByRole('button', { name: /^Pay/ }).press('Enter');

/** Fills in the card and presses Pay. Resolves when the receipt is visible. */
export async function payByCard(scope: Scope): Promise<void> {
  await fillCard(scope);
  await pressPay(scope);
  await scope.getByRole('heading', { name: 'Payment complete' }).waitFor();
}

/**
 * The frame that the SDK added to the page. In a modal, waits until it is visible, because then its page is listening and
 * can reply to a close request. An inline frame may be below the viewport, where browsers neither render nor message it.
 */
export function sessionFrame(page: Page): FrameLocator {
  return page.frameLocator(':is([data-state=ready], [data-state=held], [data-inline]) > iframe');
}

/**
 * Presses a button in a frame once it is enabled, even if the page moves the focus or the frame at the same time. A key, as
 * in `pressPay`, would go to the focused element, and a click to the button's previous position.
 */
export const pressIn = (scope: Scope, name: string | RegExp): Promise<void> =>
  scope
    .getByRole('button', { name, exact: typeof name === 'string', disabled: false })
    .dispatchEvent('click');

/**
 * For input that removes its own frame. Chromium sometimes never acknowledges such input, so tests wait for its effect
 * instead.
 */
export function leave(press: Promise<unknown>): void {
  press.catch(() => undefined);
}

/** Presses Done in a frame that is then removed. */
export const pressDone = (frame: FrameLocator): void => leave(pressIn(frame, 'Done'));

/** Every error on a page so far: console errors, uncaught errors and unhandled rejections. */
export function collectErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  return errors;
}

/** Holds the responses of an address. Resolves to a function that releases them. */
export async function holdResponses(
  page: Page,
  address: string,
  options: { readonly times?: number } = {},
): Promise<() => void> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(
    address,
    async (route) => {
      await held;
      // The page may have been closed.
      await route.continue().catch(() => undefined);
    },
    options,
  );
  return release;
}

/** Widths and color schemes to test a page in, ordered so that each step changes one thing. */
export const DISPLAYS = [
  [320, 'light'],
  [320, 'dark'],
  [1280, 'dark'],
  [1280, 'light'],
] as const;

/** Less than half the size of `axe.source`, which is sent to every tested page. */
export const AXE: string = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** Axe's violations in a page or frame, one line each. Empty if there are no violations. */
export async function axeViolations(target: Page | Frame): Promise<string[]> {
  if (!(await target.evaluate(() => 'axe' in globalThis))) await target.evaluate(AXE);
  return target.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    // Disables transitions, during which colors are in between.
    const transitions = document.getAnimations().filter((each) => each instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
    const { violations } = await axe.run(document, {
      iframes: false,
      resultTypes: ['violations'],
      // Skips loading style sheets for an experimental rule, and selectors that we don't use.
      preload: false,
      selectors: false,
    });
    return violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html}`));
  });
}

/**
 * Lists custom properties that a matching rule uses although they have no value or fallback. Browsers drop such
 * declarations silently, so that a color or font is inherited.
 */
export async function undefinedVariables(target: Page | Frame): Promise<string[]> {
  return target.evaluate(() => {
    const found = new Set<string>();
    const check = (rules: CSSRuleList): void => {
      for (const rule of rules) {
        if (rule instanceof CSSStyleRule) {
          // Pseudo-elements inherit from their element.
          const selector = rule.selectorText
            .split(/,(?![^(]*\))/)
            .map((one) => one.replace(/::[\w-]+(\([^)]*\))?/g, '').trim() || '*')
            .join(', ');
          const element = document.querySelector(selector);
          for (const [, name = ''] of rule.style.cssText.matchAll(/var\(\s*(--[\w-]+)\s*\)/g))
            if (element && getComputedStyle(element).getPropertyValue(name) === '')
              found.add(`${name} in ${rule.selectorText}`);
        }
        if ('cssRules' in rule) check(rule.cssRules as CSSRuleList);
      }
    };
    for (const sheet of document.styleSheets) check(sheet.cssRules);
    return [...found];
  });
}
