import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect } from 'preact/hooks';

type Count = (change: (count: number) => number) => void;

interface Around {
  /** Counts the forms on the page. */
  countOpen: Count;
  /** Counts the forms with unsent input. */
  countBegun: Count;
  /** The payer opened a form or a confirmation, so the previous message no longer applies. */
  opened: () => void;
}

export const Forms = createContext<Around>({
  countOpen: () => undefined,
  countBegun: () => undefined,
  opened: () => undefined,
});

/** Notifies the page that the payer, rather than the page itself, opened the calling component. */
export function useOpened(isAsked: boolean): void {
  const around = useContext(Forms);
  useEffect(() => {
    if (isAsked) around.opened();
  }, [around, isAsked]);
}

/** Counts the calling form. */
export function useForms(isBegun: boolean): void {
  const { countOpen, countBegun } = useContext(Forms);
  useCount(countOpen, true);
  useCount(countBegun, isBegun);
}

function useCount(count: Count, is: boolean): void {
  useLayoutEffect(() => {
    if (!is) return undefined;
    count((before) => before + 1);
    return () => count((before) => before - 1);
  }, [count, is]);
}
