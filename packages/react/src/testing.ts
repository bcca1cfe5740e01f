import { createElement, useState, type ReactElement } from 'react';
import { createFakeLoader, type FakeLoader } from '@embedded-sessions/loader/testing';
import { EmbeddedProvider, type EmbeddedProviderProps } from './index.js';

export { createFakeLoader, type FakeFlow, type FakeLoader } from '@embedded-sessions/loader/testing';

/** Props of {@link FakeEmbeddedProvider}. */
export interface FakeEmbeddedProviderProps extends Omit<EmbeddedProviderProps, 'loader'> {
  /** From `createFakeLoader()`, whose `flows` the test ends. Default: one of its own, in staging. */
  fake?: FakeLoader | undefined;
}

/**
 * `<EmbeddedProvider>` for a merchant's tests: no script, no frame, no network, no module mocking. The components
 * under it run as they are; the test plays the payer through `fake.flows`.
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
