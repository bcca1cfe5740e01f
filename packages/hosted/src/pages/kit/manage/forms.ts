import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect } from 'preact/hooks';

type Count = (change: (count: number) => number) => void;

interface FormCounts {
  /** Counts the forms and confirmations on the page. */
  countOpen: Count;
  /** Counts the forms with unsent input. */
  countEdited: Count;
  /** Called when the payer opens a form or a confirmation. The previous message no longer applies. */
  opened: () => void;
}

export const Forms = createContext<FormCounts>({
  countOpen: () => undefined,
  countEdited: () => undefined,
  opened: () => undefined,
});

/** Notifies the page that the calling component opened, if the payer opened it and not the page itself. */
export function useOpened(byPayer: boolean): void {
  const { opened } = useContext(Forms);
  useEffect(() => {
    if (byPayer) opened();
  }, [opened, byPayer]);
}

/** Adds the calling form or confirmation to the counts of the page. */
export function useForms(isEdited: boolean): void {
  const { countOpen, countEdited } = useContext(Forms);
  useCount(countOpen, true);
  useCount(countEdited, isEdited);
}

function useCount(count: Count, counts: boolean): void {
  useLayoutEffect(() => {
    if (!counts) return undefined;
    count((before) => before + 1);
    return () => count((before) => before - 1);
  }, [count, counts]);
}
