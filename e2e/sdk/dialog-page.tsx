/** A merchant's page with an open dialog, which has a payment button in it. */
import { useState, type ReactElement, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

declare const pay: () => Promise<void>;

interface Props {
  onClose: () => void;
  children: ReactNode;
}

type Dialog = (props: Props) => ReactElement;

/** Shows the dialog that the URL's fragment names, if it is one of these. */
export function show(dialogs: Record<string, Dialog>): void {
  const Named = dialogs[location.hash.slice(1)];
  if (Named !== undefined) createRoot(document.querySelector('#root')!).render(<Page Dialog={Named} />);
}

function Page({ Dialog }: { Dialog: Dialog }): ReactElement {
  const [isOpen, setOpen] = useState(true);
  const [close] = useState(() => () => setOpen(false));
  if (!isOpen) return <p>Their dialog has closed</p>;
  return (
    <Dialog onClose={close}>
      <input aria-label="Coupon" />
      <button onClick={() => void pay()}>Pay now</button>
    </Dialog>
  );
}
