/**
 * The part of a page that its first form does without. The page of a payment reads it behind that form, and nothing is
 * sent before it is there; that of another flow has it in its script.
 */
import { load, speakAfter } from '../text/index.js';

export interface Late<T> {
  part?: T;
  /** It could not be had when it was asked for last. */
  isMissing?: boolean;
  /** Asks for it, again and again until it is there. */
  read: () => Promise<T>;
  /** Called when one of the two changes. */
  onChange?: () => void;
}

/** What the page's script has in it. */
export function present<T>(part: T): Late<T> {
  return { part, read: () => Promise.resolve(part) };
}

const AGAIN_MS = 2_000;

/** The module that the HTML names, and its words. */
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
  let asked: Promise<T> | undefined;
  const late: Late<T> = { read: () => (asked ??= ask(0)) };
  return late;
}
