import { createElement, useState, type ReactElement } from 'react';
import { createFakeLoader, type FakeLoader } from '@embedded-sessions/loader/testing';
import { EmbeddedProvider, type EmbeddedProviderProps } from './index.js';

export { createFakeLoader, type FakeFlow, type FakeLoader } from '@embedded-sessions/loader/testing';

/** Props of {@link FakeEmbeddedProvider}. */
export interface FakeEmbeddedProviderProps extends Omit<EmbeddedProviderProps, 'loader'> {
  /** From `createFakeLoader()`; the test settles its `flows`. Default: a new one, in staging. */
  fake?: FakeLoader | undefined;
}

/**
 * `<EmbeddedProvider>` for a merchant's tests: no script, no frame, no network, no module mocking. Your
 * components run unchanged; the test plays the payer through `fake.flows`.
 *
 * @example
 * const fake = createFakeLoader({ environment: 'staging' });
 * render(<FakeEmbeddedProvider fake={fake}><Checkout /></FakeEmbeddedProvider>);
 * await user.click(screen.getByRole('button', { name: 'Pay $12.34' }));
 * await waitFor(() => expect(fake.flows).toHaveLength(1));
 * fake.flows[0].complete({ Status: 'Succeeded' });
 * await screen.findByText('Thank you');
 */
export function FakeEmbeddedProvider({ fake, ...props }: FakeEmbeddedProviderProps): ReactElement {
  const [own] = useState(createFakeLoader);
  return createElement(EmbeddedProvider, { ...props, loader: (fake ?? own).loader });
}
