/** Dialogs of two libraries. Bundled by dialogs.browser.test.ts; frameworks/dialogs has further ones. */
import * as Radix from '@radix-ui/react-dialog';
import { createFocusTrap } from 'focus-trap';
import { useEffect, useRef } from 'react';
import { show } from './dialog-page.js';

show({
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
});
