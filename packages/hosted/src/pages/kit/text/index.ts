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

/**
 * Loads a catalog, whose address is in the HTML. `again`: a query for retries, because Firefox never requests a module again
 * after it failed to load.
 */
export async function loadTexts(id: 'catalog' | 'after' = 'catalog', again = ''): Promise<void> {
  const link = document.querySelector('#catalog') as HTMLLinkElement;
  // Relative addresses are resolved against this script, which is in the same folder.
  const address = id === 'catalog' ? link.href : (link.dataset[id] as string);
  const module = (await import(/* @vite-ignore */ address + again)) as { default: Partial<Texts> };
  setTexts(module.default);
}

/** Adds the texts of a catalog. */
export function setTexts(texts: Partial<Texts>): void {
  ({ shared: t = t, rest = rest, payment: pay = pay, after = after } = texts);
  ({ manage = manage, problem = problem, authorization: terms = terms } = texts);
}
