/** What every browser test does on a page: fill the payment form by its labels, collect errors, run axe. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, FrameLocator, Locator, Page } from 'playwright-core';

export const CARD_OK = '4242 4242 4242 4242';
export const CARD_DECLINED = '4000 0000 0000 0002';
const ROUTING = '110000000';
export const BANK_OK = '000123456789';

/** A page, a frame in it, or any part of one. */
export type Scope = Page | FrameLocator | Frame | Locator;

/** Chooses a new method, which has a name of its own beside saved ones. By key, as `pressPay`. */
async function chooseNew(scope: Scope, alone: string, besideSaved: string): Promise<void> {
  const named = (name: string) => scope.getByRole('radio', { name, exact: true });
  const radio = named(alone).or(named(besideSaved));
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
 * Presses Pay by key. Where the page scrolls to reach a button in a frame, Chromium at times places the press of a click
 * by the drawing after that and its release by the one before: beside the button.
 */
export const pressPay = (scope: Scope): Promise<void> =>
  scope.getByRole('button', { name: /^Pay/ }).press('Enter');

/** Fills the card and presses Pay; resolves when the receipt is there. */
export async function payByCard(scope: Scope): Promise<void> {
  await fillCard(scope);
  await pressPay(scope);
  await scope.getByRole('heading', { name: 'Payment complete' }).waitFor();
}

/**
 * The frame that the SDK added to the page, in a modal once a payer sees it: then its page has said that it listens, and
 * what is closed is closed in agreement with it. Before that a driver finds what is in it all the same. In the page it
 * may be below what is in view, where a browser has it draw nothing and say nothing.
 */
export function sessionFrame(page: Page): FrameLocator {
  return page.frameLocator(':is([data-state=ready], [data-state=held], [data-inline]) > iframe');
}

/**
 * Presses a button in a frame once it can be pressed, wherever its page puts the focus meanwhile, and wherever the page
 * around it has moved the frame: by `pressPay` a key goes where the focus is, and a click where the button was drawn last.
 */
export const pressIn = (scope: Scope, name: string | RegExp): Promise<void> =>
  scope
    .getByRole('button', { name, exact: typeof name === 'string', disabled: false })
    .dispatchEvent('click');

/**
 * For a key or a click after which the frame that has it is gone. Chromium at times leaves such a one unanswered for
 * ever, so what comes of it is awaited, not the press.
 */
export function leave(press: Promise<unknown>): void {
  press.catch(() => undefined);
}

/** Presses Done in a frame that goes with it. */
export const pressDone = (frame: FrameLocator): void => leave(pressIn(frame, 'Done'));

/** Everything that went wrong on a page so far: console errors, uncaught errors and unhandled rejections. */
export function collectErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  return errors;
}

/** Widths and colours that a page is looked at in; in this order each step changes one thing. */
export const LOOKS = [
  [320, 'light'],
  [320, 'dark'],
  [1280, 'dark'],
  [1280, 'light'],
] as const;

/** Less than half of what `axe.source` is, which is sent to every page that is looked at. */
export const AXE: string = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** Axe's violations, one line each, in a page or in one frame of it; empty when there are none. */
export async function axeViolations(target: Page | Frame): Promise<string[]> {
  if (!(await target.evaluate(() => 'axe' in globalThis))) await target.evaluate(AXE);
  return target.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    // A colour on its way to another is neither of the two.
    const transitions = document.getAnimations().filter((each) => each instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
    const { violations } = await axe.run(document, {
      iframes: false,
      resultTypes: ['violations'],
      // Spares the style sheets that an experimental rule would read, and the selectors that nobody reads.
      preload: false,
      selectors: false,
    });
    return violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html}`));
  });
}

/**
 * Custom properties that a matching rule uses without a fallback and that have no value, one line each. Such a
 * declaration is dropped in silence, so a color or font quietly falls back to the inherited one.
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
