/** Asks before input is lost. */
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../design/button.js';
import { rest } from '../text/index.js';

interface LeavingProps {
  pays: boolean;
  /** The input may have been saved. */
  isUnsure: boolean;
  stay: () => void;
  leave: () => void;
}

/** The element that had the focus last. Browsers forget it when the payer presses something outside the frame. */
let focused: HTMLElement | undefined;
addEventListener('focusin', ({ target }) => (focused = target as HTMLElement));

/** Asks before the payer leaves and loses input. Escape means to stay. */
export function Leaving({ pays, isUnsure, stay, leave }: LeavingProps) {
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
        stay();
      }}
    >
      <h2 id={id}>{pays ? rest.common.leavePayment : rest.common.leaveUnsaved}</h2>
      {!isUnsure && <p>{rest.common.leaveHint}</p>}
      <div class="actions">
        <Button onPress={stay}>{rest.common.stay}</Button>
        <Button kind="secondary" onPress={leave}>
          {rest.common.leave}
        </Button>
      </div>
    </dialog>
  );
}
