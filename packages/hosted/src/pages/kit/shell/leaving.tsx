/** Asks before input is lost. */
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../design/button.js';
import { rest } from '../text/index.js';

interface LeavingProps {
  pays: boolean;
  onStay: () => void;
  onLeave: () => void;
}

/** The element that had the focus last. Browsers forget it when the payer presses something outside the frame. */
let focused: HTMLElement | undefined;
addEventListener('focusin', ({ target }) => (focused = target as HTMLElement));

/** Asks before the payer leaves and loses input. Escape means to stay. */
export function Leaving({ pays, onStay, onLeave }: LeavingProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    const field = focused;
    current?.showModal();
    return () => {
      current?.close();
      field?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="leaving"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onStay();
      }}
    >
      <h2 id={id}>{pays ? rest.common.leavePayment : rest.common.leaveUnsaved}</h2>
      <p>{rest.common.leaveHint}</p>
      <div class="actions">
        <Button onPress={onStay}>{rest.common.stay}</Button>
        <Button kind="secondary" onPress={onLeave}>
          {rest.common.leave}
        </Button>
      </div>
    </dialog>
  );
}
