import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect } from 'preact/hooks';

interface Around {
  /** Whether a form of the page holds something that was not sent. */
  current: boolean;
  /** The payer has opened a form or a question: what was told before is not of it. */
  opened: () => void;
}

export const Begun = createContext<Around>({ current: false, opened: () => undefined });

/** Tells the page around it that the payer has opened what this is used in; `isAsked`: and it did not come by itself. */
export function useOpened(isAsked: boolean): void {
  const around = useContext(Begun);
  useEffect(() => {
    if (isAsked) around.opened();
  }, [around, isAsked]);
}

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
