/**
 * The texts of the open page. A page loads the catalog of its language once, before it renders anything: the texts of
 * every page, and its own. `locales/` has the texts.
 */
import type { Texts } from '@shared/texts.generated.js';

/** Texts of every page. */
export let t: Texts['shared'];
/** Other shared texts; the payment page loads them with {@link after}, after its first form. */
export let rest: Texts['rest'];
/** Of the payment page. */
export let pay: Texts['payment'];
/** Of the payment page after something was sent. */
export let after: Texts['after'];
/** Of the management pages. */
export let manage: Texts['manage'];
/** Of the page of a session that can't be opened. */
export let problem: Texts['problem'];
/** Authorizations on this page. */
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

/** Loads the texts that the payment page needs after its first form. */
export async function speakAfter(again: string): Promise<void> {
  ({ rest, after } = await load<Texts>('after', again));
}

/**
 * Loads a module whose address is in the HTML. `again`: another address of the same module, because Firefox never
 * requests a module again after it failed to load.
 */
export async function load<T>(id: 'catalog' | 'after', again = ''): Promise<T> {
  const link = document.querySelector('#catalog') as HTMLLinkElement;
  // Relative addresses are resolved against this script, which is in the same folder.
  const address = id === 'catalog' ? link.href : (link.dataset[id] as string);
  const module = (await import(/* @vite-ignore */ address + again)) as { default: T };
  return module.default;
}

/** Sets texts without a page, for tests. */
export function speak(texts: Pick<Texts, 'shared' | 'rest'>): void {
  ({ shared: t, rest } = texts);
}
