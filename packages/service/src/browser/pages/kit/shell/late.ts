/** Parts of a page that are read behind its first paint. */
import { useEffect, useState } from 'preact/hooks';

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
      const { href } = document.querySelector<HTMLLinkElement>('#late')!;
      import(/* @vite-ignore */ href).then(take, () => (timer = setTimeout(begin, AGAIN_MS)));
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
