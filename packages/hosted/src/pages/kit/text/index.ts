/**
 * The words of the page that is open: the catalog of its language, of which a page reads what every page says and its
 * own part. They are read once, before anything is drawn.
 */
import type { AfterText, ManageText, PaymentText, ProblemText, RestText, SharedText } from './catalog.js';

/** What every page says. */
export let t: SharedText;
/** What pages say besides; the payment page reads it with {@link after}, behind its first form. */
export let rest: RestText;
/** What the payment page says; for that page alone. */
export let pay: PaymentText;
/** What the payment page says once something was sent; for that page alone. */
export let after: AfterText;
/** What the management pages say; for those alone. */
export let manage: ManageText;
/** What the page of a session that is not here says. */
export let problem: ProblemText;

interface Catalog<Part> {
  shared: SharedText;
  rest: RestText;
  part: Part;
}

/** Reads what the payment page says. */
export async function speakPayment(): Promise<void> {
  ({ shared: t, part: pay } = await load<Omit<Catalog<PaymentText>, 'rest'>>('catalog'));
}

/** Reads what the management pages say. */
export async function speakManage(): Promise<void> {
  ({ shared: t, rest, part: manage } = await load<Catalog<ManageText>>('catalog'));
}

/** Reads what the page of a session that is not here says. */
export async function speakProblem(): Promise<void> {
  ({ shared: t, rest, part: problem } = await load<Catalog<ProblemText>>('catalog'));
}

/** Reads what the payment page says behind its first form. */
export async function speakAfter(again: string): Promise<void> {
  ({ rest, part: after } = await load<Omit<Catalog<AfterText>, 'shared'>>('after', again));
}

/**
 * Reads what the HTML gives the address of. `again`: another address of the same, as a browser may never read one again
 * that it once could not have (Firefox).
 */
export async function load<T>(id: 'catalog' | 'after', again = ''): Promise<T> {
  const link = document.querySelector('#catalog') as HTMLLinkElement;
  // Relative ones are to this script, which lies where they do.
  const address = id === 'catalog' ? link.href : (link.dataset[id] as string);
  const module = (await import(/* @vite-ignore */ address + again)) as { default: T };
  return module.default;
}

/** Takes the words that every page has: for what is tried without a page. */
export function speak(words: Pick<Catalog<unknown>, 'shared' | 'rest'>): void {
  ({ shared: t, rest } = words);
}
