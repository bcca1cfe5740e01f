import { Button } from '../design/button.js';
import { Confirm, type ConfirmProps } from './confirm.js';
import { Opener } from './opener.js';

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
