/**
 * The part of a page that its first form doesn't need. The payment page loads it after showing the form, and sends
 * nothing before. The other flows include it in their script.
 */
import { loadTexts } from '../text/index.js';

export interface Late<T> {
  part?: T;
  /** The last attempt to load it failed. */
  isMissing?: boolean;
  /** Loads the part. Retries until it succeeds. */
  load: () => Promise<T>;
  /** Called when `part` or `isMissing` changes. */
  onChange?: () => void;
}

/** A part that is included in the page's script. */
export function eager<T>(part: T): Late<T> {
  return { part, load: () => Promise.resolve(part) };
}

const RETRY_MS = 2_000;

interface Module<T> {
  default: T;
}

/** A part that the payment page imports after showing its form, together with its texts. */
export function lazy<T>(load: () => Promise<Module<T>>): Late<T> {
  const attempt = async (tries: number): Promise<T> => {
    const again = tries === 0 ? '' : `?${tries}`;
    try {
      const [{ default: part }] = await Promise.all([load(), loadTexts('after', again)]);
      late.part = part;
      late.onChange?.();
      return part;
    } catch (error) {
      late.isMissing = true;
      late.onChange?.();
      // Firefox never requests a module again after its import failed, so retry with another query. The URL is in the error.
      const [address] = /https?:\S+\/late-\S+\.js/.exec(String(error)) ?? [];
      if (address !== undefined) load = () => import(/* @vite-ignore */ `${address}?${tries + 1}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return attempt(tries + 1);
    }
  };
  let pending: Promise<T> | undefined;
  const late: Late<T> = { load: () => (pending ??= attempt(0)) };
  return late;
}
