/**
 * The part of a page that its first form doesn't need. A payment page loads it after that form and sends nothing before; the
 * other flows include it in their script.
 */
import { load, speakAfter } from '../text/index.js';

export interface Late<T> {
  part?: T;
  /** The last attempt to load it failed. */
  isMissing?: boolean;
  /** Loads it, and retries until that succeeds. */
  read: () => Promise<T>;
  /** Called when either changes. */
  onChange?: () => void;
}

/** What the page's script includes. */
export function present<T>(part: T): Late<T> {
  return { part, read: () => Promise.resolve(part) };
}

const AGAIN_MS = 2_000;

/** The module named in the HTML, and its text. */
export function behind<T>(): Late<T> {
  const ask = async (tries: number): Promise<T> => {
    const again = tries === 0 ? '' : `?${tries}`;
    try {
      const [part] = await Promise.all([load<T>('late', again), speakAfter(again)]);
      late.part = part;
      late.onChange?.();
      return part;
    } catch {
      late.isMissing = true;
      late.onChange?.();
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      return ask(tries + 1);
    }
  };
  let pending: Promise<T> | undefined;
  const late: Late<T> = { read: () => (pending ??= ask(0)) };
  return late;
}
