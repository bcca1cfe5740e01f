/**
 * The words of the page that is open. A page loads the catalog of its language once, before anything is drawn: what every page
 * says, and its own part. `locales/` has the texts.
 */
import type { Texts } from '@shared/texts.js';

/** What every page says. */
export let t: Texts['shared'];
/** What pages say besides; the payment page loads it with {@link after}, behind its first form. */
export let rest: Texts['rest'];
/** Of the payment page. */
export let pay: Texts['payment'];
/** Of the payment page once something was sent. */
export let after: Texts['after'];
/** Of the management pages. */
export let manage: Texts['manage'];
/** Of the page of a session that can't be opened. */
export let problem: Texts['problem'];
/** What payers authorize on this page. */
export let terms: Texts['authorization'];

export async function speakPayment(): Promise<void> {
  ({ shared: t, payment: pay, authorization: terms } = await load<Texts>('catalog'));
}

export async function speakManage(): Promise<void> {
  ({ shared: t, rest, manage, authorization: terms } = await load<Texts>('catalog'));
}

export async function speakProblem(): Promise<void> {
  ({ shared: t, rest, problem } = await load<Texts>('catalog'));
}

/** Loads what the payment page says behind its first form. */
export async function speakAfter(again: string): Promise<void> {
  ({ rest, after } = await load<Texts>('after', again));
}

/**
 * Loads what the HTML gives the address of. `again`: another address of the same, because Firefox never requests a module
 * again that once failed to load.
 */
export async function load<T>(id: 'catalog' | 'after', again = ''): Promise<T> {
  const link = document.querySelector('#catalog') as HTMLLinkElement;
  // Relative ones are to this script, which lies where they do.
  const address = id === 'catalog' ? link.href : (link.dataset[id] as string);
  const module = (await import(/* @vite-ignore */ address + again)) as { default: T };
  return module.default;
}

/** Takes texts without a page, for tests. */
export function speak(texts: Pick<Texts, 'shared' | 'rest'>): void {
  ({ shared: t, rest } = texts);
}
