/**
 * The part of a page that its first form doesn't need. A payment page loads it after that form and sends nothing before; the
 * other flows include it in their script.
 */
import { speakAfter } from '../text/index.js';

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

interface Module<T> {
  default: T;
}

/** A module that the payment page imports after its first form, and its text. */
export function behind<T>(load: () => Promise<Module<T>>): Late<T> {
  const attempt = async (tries: number): Promise<T> => {
    const again = tries === 0 ? '' : `?${tries}`;
    try {
      const [{ default: part }] = await Promise.all([load(), speakAfter(again)]);
      late.part = part;
      late.onChange?.();
      return part;
    } catch (error) {
      late.isMissing = true;
      late.onChange?.();
      // Firefox never requests an address again after its import failed. The error message has the address.
      const [address] = /https?:\S+\/late-\S+\.js/.exec(String(error)) ?? [];
      if (address !== undefined) load = () => import(/* @vite-ignore */ `${address}?${tries + 1}`);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      return attempt(tries + 1);
    }
  };
  let pending: Promise<T> | undefined;
  const late: Late<T> = { read: () => (pending ??= attempt(0)) };
  return late;
}
