/**
 * The texts of the page. Each page loads one catalog in its language before it renders: the shared texts and its own.
 * `locales/` has the texts.
 */
import type { Texts } from '@shared/texts.generated.js';

/** Shared texts that every page needs at once. */
export let t: Texts['shared'];
/** Other shared texts. The payment page loads them with {@link after}, after showing its form. */
export let rest: Texts['rest'];
/** Texts of the payment form. */
export let pay: Texts['payment'];
/** Texts of the payment page after the form was sent. */
export let after: Texts['after'];
/** Texts of the management pages. */
export let manage: Texts['manage'];
/** Texts of the page for a session that can't be opened. */
export let problem: Texts['problem'];
/** Authorizations on this page. */
export let terms: Texts['authorization'];

export async function loadPaymentTexts(): Promise<void> {
  ({ shared: t, payment: pay, authorization: terms } = await load<Texts>('catalog'));
}

export async function loadManageTexts(): Promise<void> {
  ({ shared: t, rest, manage, authorization: terms } = await load<Texts>('catalog'));
}

export async function loadProblemTexts(): Promise<void> {
  ({ shared: t, rest, problem } = await load<Texts>('catalog'));
}

/** Loads the texts that the payment page needs after showing its form. */
export async function loadAfterTexts(again: string): Promise<void> {
  ({ rest, after } = await load<Texts>('after', again));
}

/**
 * Imports a module whose address is in the HTML. `again`: a query for retries, because Firefox never requests a module
 * again after it failed to load.
 */
export async function load<T>(id: 'catalog' | 'after', again = ''): Promise<T> {
  const link = document.querySelector('#catalog') as HTMLLinkElement;
  // Relative addresses are resolved against this script, which is in the same folder.
  const address = id === 'catalog' ? link.href : (link.dataset[id] as string);
  const module = (await import(/* @vite-ignore */ address + again)) as { default: T };
  return module.default;
}

/** Sets texts without a page, for tests. */
export function setTexts(texts: Pick<Texts, 'shared' | 'rest'>): void {
  ({ shared: t, rest } = texts);
}
