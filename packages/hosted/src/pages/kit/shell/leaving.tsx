/** Asks before input is lost. */
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../design/button.js';
import { rest } from '../text/index.js';
import { useShell } from './shell.js';

/** The element that had the focus last. Browsers forget it when the payer presses something outside the frame. */
let focused: HTMLElement | undefined;
addEventListener('focusin', ({ target }) => (focused = target as HTMLElement));

/** Asks before the payer leaves and loses input. Escape means to stay. */
export function Leaving() {
  const shell = useShell();
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
        shell.stay();
      }}
    >
      <h2 id={id}>
        {shell.session?.flow === 'payment' ? rest.common.leavePayment : rest.common.leaveUnsaved}
      </h2>
      {/* Otherwise, the input may have been saved. */}
      {shell.reported !== 'unsure' && <p>{rest.common.leaveHint}</p>}
      <div class="actions">
        <Button onPress={() => shell.stay()}>{rest.common.stay}</Button>
        <Button kind="secondary" onPress={() => shell.leave()}>
          {rest.common.leave}
        </Button>
      </div>
    </dialog>
  );
}
