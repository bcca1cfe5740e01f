/**
 * A confirmation that replaces the button that opened it. Focuses itself instead of one of its buttons, because the key
 * that opened it may still be down.
 */
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../design/button.js';
import { Opener } from './opener.js';
import { useForms, useOpened } from './page.js';
import { useCancel } from './use-action.js';

export interface ConfirmProps {
  question: string;
  hint?: string | undefined;
  yes: string;
  no: string;
  busy: boolean;
  onYes: () => void;
  onNo: () => void;
}

export function Confirm({ question, hint, yes, no, busy, onYes, onNo }: ConfirmProps) {
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const keep = useCancel(busy, onNo);
  useForms(false);
  useOpened(true);
  // In a layout effect, so that it runs before the next key moves the focus.
  useLayoutEffect(() => box.current?.focus(), []);
  return (
    <div
      ref={box}
      class="confirm"
      role="group"
      tabIndex={-1}
      aria-labelledby={id}
      aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || busy) return;
        // Closes the confirmation, not the dialog around the page.
        event.preventDefault();
        keep();
      }}
    >
      <p id={id}>
        <b>{question}</b>
      </p>
      {hint !== undefined && <p id={`${id}-hint`}>{hint}</p>}
      <div class="answers">
        <Button kind="danger" busy={busy} onPress={onYes}>
          {yes}
        </Button>
        <Button kind="secondary" onPress={keep}>
          {no}
        </Button>
      </div>
    </div>
  );
}

interface ConfirmedButtonProps extends ConfirmProps {
  /** The text of the button. */
  children: string;
  /** Its name for assistive technology, if the text alone doesn't say what it ends. */
  label?: string;
  open: boolean;
  onOpen: () => void;
}

/** A quiet button that asks before it ends something. */
export function ConfirmedButton({ children, label, open, onOpen, ...confirm }: ConfirmedButtonProps) {
  return (
    <Opener
      open={open}
      button={
        <Button kind="quiet" {...(label !== undefined && { label })} onPress={onOpen}>
          {children}
        </Button>
      }
    >
      <Confirm {...confirm} />
    </Opener>
  );
}
