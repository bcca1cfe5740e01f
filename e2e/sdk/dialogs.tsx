/** An open dialog of each library, with a payment button in it. Bundled by dialogs.browser.test.ts. */
import * as Headless from '@headlessui/react';
import Mui from '@mui/material/Dialog';
import * as Radix from '@radix-ui/react-dialog';
import { createFocusTrap } from 'focus-trap';
import { useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

declare const pay: () => Promise<void>;

interface Props {
  onClose: () => void;
  children: ReactNode;
}

const LIBRARIES: Record<string, (props: Props) => ReactElement> = {
  radix: ({ onClose, children }) => (
    <Radix.Root open onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Overlay />
        <Radix.Content aria-describedby={undefined}>
          <Radix.Title>Your bill</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  ),
  mui: ({ onClose, children }) => (
    <Mui open onClose={onClose} transitionDuration={0} aria-label="Your bill">
      {children}
    </Mui>
  ),
  headless: ({ onClose, children }) => (
    <Headless.Dialog open onClose={onClose} aria-label="Your bill">
      <Headless.DialogPanel>{children}</Headless.DialogPanel>
    </Headless.Dialog>
  ),
  'focus-trap': function Trapped({ onClose, children }) {
    const host = useRef<HTMLDivElement>(null);
    useEffect(() => {
      const trap = createFocusTrap(host.current!, { onDeactivate: onClose }).activate();
      return () => void trap.deactivate({ onDeactivate: () => {} });
    }, [onClose]);
    return (
      <div ref={host} role="dialog" aria-label="Your bill">
        {children}
      </div>
    );
  },
};

function Page({ library }: { library: string }): ReactElement {
  const [isOpen, setOpen] = useState(true);
  const [close] = useState(() => () => setOpen(false));
  const Dialog = LIBRARIES[library]!;
  if (!isOpen) return <p>Their dialog has closed</p>;
  return (
    <Dialog onClose={close}>
      <input aria-label="Coupon" />
      <button onClick={() => void pay()}>Pay now</button>
    </Dialog>
  );
}

createRoot(document.querySelector('#root')!).render(<Page library={location.hash.slice(1)} />);
