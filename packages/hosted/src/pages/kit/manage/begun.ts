import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect } from 'preact/hooks';

interface Around {
  /** Tracks whether a form on the page has unsent input. */
  current: boolean;
  /** The payer opened a form or a confirmation, so the previous message no longer applies. */
  opened: () => void;
}

export const Begun = createContext<Around>({ current: false, opened: () => undefined });

/** Notifies the page that the payer, rather than the page itself, opened the calling component. */
export function useOpened(isAsked: boolean): void {
  const around = useContext(Begun);
  useEffect(() => {
    if (isAsked) around.opened();
  }, [around, isAsked]);
}

/** Notifies the page that a form has input, until the form is removed. */
export function useBegun(isBegun: boolean): void {
  const begun = useContext(Begun);
  useLayoutEffect(() => {
    begun.current = isBegun;
    return () => {
      begun.current = false;
    };
  }, [begun, isBegun]);
}
