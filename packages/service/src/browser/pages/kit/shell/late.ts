/** Parts of a page that are read behind its first paint. */
import { useEffect, useState } from 'preact/hooks';
import { linked, speakAfter } from '../text/index.js';

const AGAIN_MS = 2_000;
const BEGINS = ['pointerdown', 'keydown', 'focusin'] as const;

/** The module that the HTML names, when the payer begins, or at once where it is `needed`; tried again until it is there. */
export function useLate(needed: boolean): unknown {
  const [part, take] = useState<unknown>();
  useEffect(() => {
    if (part !== undefined) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    const begin = (): void => {
      end();
      Promise.all([import(/* @vite-ignore */ linked('late')), speakAfter()]).then(
        ([read]) => take(read),
        () => (timer = setTimeout(begin, AGAIN_MS)),
      );
    };
    const end = (): void => {
      clearTimeout(timer);
      for (const type of BEGINS) removeEventListener(type, begin, true);
    };
    if (needed) begin();
    else for (const type of BEGINS) addEventListener(type, begin, true);
    return end;
  }, [needed, part]);
  return part;
}
