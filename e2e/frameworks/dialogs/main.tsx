/** Dialogs of two libraries that `npx -y pnpm@12 browser` installs. Bundled by sdk/dialogs.browser.test.ts. */
import * as Headless from '@headlessui/react';
import Mui from '@mui/material/Dialog';
import { show } from '../../sdk/dialog-page.js';

show({
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
});
