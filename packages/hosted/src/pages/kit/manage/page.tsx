/** What the parts of a management page share: its message, and which forms are open. */
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Notice } from '../design/notice.js';
import { useShell } from '../shell/shell.js';

/** Its identity distinguishes it from another one with the same text. */
export interface Message {
  text: string;
  tone: 'success' | 'danger';
}

export const page = {
  /** Shown at the top until the payer opens a form or a question. */
  message: undefined as Message | undefined,
  /** Something was saved. */
  hasChanged: false,
  /** How many forms and questions are open. */
  open: 0,
  /** How many forms have unsent input. */
  edited: 0,
};

/** Shows a message at the top of the page with the shell's next report. */
export function say(text: string, tone: Message['tone'] = 'success'): void {
  page.message = { text, tone };
  page.hasChanged ||= tone === 'success';
}

/** Forgets what the calling page has said when it is read again. */
export function usePage(): typeof page {
  useLayoutEffect(
    () => () => {
      page.message = undefined;
      page.hasChanged = false;
    },
    [],
  );
  return page;
}

/** Shows a message, which takes the focus. */
export function MessageNotice({ message }: { message: Message | undefined }) {
  return (
    message && (
      <Notice key={message} tone={message.tone} focused>
        <p>{message.text}</p>
      </Notice>
    )
  );
}

/** Removes the page's message when the calling form opens, if the payer opened it and not the page itself. */
export function useOpened(byPayer: boolean): void {
  const shell = useShell();
  useEffect(() => {
    if (!byPayer) return;
    page.message = undefined;
    shell.onChange();
  }, [shell, byPayer]);
}

/** Counts the calling form or question. */
export function useForms(isEdited: boolean): void {
  useCount('open', true);
  useCount('edited', isEdited);
}

function useCount(what: 'open' | 'edited', counts: boolean): void {
  const shell = useShell();
  useLayoutEffect(() => {
    if (!counts) return undefined;
    const change = (by: number): void => {
      page[what] += by;
      shell.onChange();
    };
    change(1);
    return () => change(-1);
  }, [shell, what, counts]);
}
