/**
 * The words of the page that is open: the catalog of its language, of which a page reads what every page says and its
 * own part. They are read once, before anything is drawn.
 */
import type { AfterText, ManageText, PaymentText, ProblemText, SharedText } from './catalog.js';

/** What every page says. */
export let t: SharedText;
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
  part: Part;
}

/** Reads what the payment page says. */
export async function speakPayment(): Promise<void> {
  speak(await load<PaymentText>(), (part) => (pay = part));
}

/** Reads what the management pages say. */
export async function speakManage(): Promise<void> {
  speak(await load<ManageText>(), (part) => (manage = part));
}

/** Reads what the page of a session that is not here says. */
export async function speakProblem(): Promise<void> {
  speak(await load<ProblemText>(), (part) => (problem = part));
}

/** Reads what is said once something was sent. */
export async function speakAfter(): Promise<void> {
  const module = (await import(/* @vite-ignore */ linked('after'))) as { default: AfterText };
  after = module.default;
}

/** The address that the HTML gives something to read. */
export function linked(id: 'catalog' | 'late' | 'after'): string {
  const link = document.querySelector<HTMLLinkElement>('#catalog');
  // Relative ones are to this script, which lies where they do.
  const address = id === 'catalog' ? link?.href : link?.dataset[id];
  if (!address) throw new Error(`The HTML of the hosted pages names its ${id}.`);
  return address;
}

/** Takes a catalog that has been read. */
export function speak<Part>({ shared, part }: Catalog<Part>, take: (part: Part) => void): void {
  t = shared;
  take(part);
}

/** The catalog that the HTML names: of the language that the service chose from what the browser asked for. */
async function load<Part>(): Promise<Catalog<Part>> {
  const module = (await import(/* @vite-ignore */ linked('catalog'))) as { default: Catalog<Part> };
  return module.default;
}
