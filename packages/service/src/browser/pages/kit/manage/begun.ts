import { createContext } from 'preact';
import { useContext, useLayoutEffect } from 'preact/hooks';

/** Whether a form of the page holds something that was not sent. */
export const Begun = createContext<{ current: boolean }>({ current: false });

/** Tells the page around a form that it holds something, for as long as the form is there. */
export function useBegun(isBegun: boolean): void {
  const begun = useContext(Begun);
  useLayoutEffect(() => {
    begun.current = isBegun;
    return () => {
      begun.current = false;
    };
  }, [begun, isBegun]);
}
