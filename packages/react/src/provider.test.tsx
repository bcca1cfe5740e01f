import type { ReactElement } from 'react';
import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import { EmbeddedProvider } from './index.js';
import { PayButton } from '../docs/pay-button.js';
import { click, failures, finish, ModalSubject, settle, URL_1 } from '../test/subjects.js';
import { FakeEmbeddedProvider } from './testing.js';

it('preloads the script if requested', async () => {
  const fake = createFakeLoader();
  const preload = vi.spyOn(fake.loader, 'preload');
  const view = render(<EmbeddedProvider loader={fake.loader} />);
  expect(preload).not.toHaveBeenCalled();
  view.rerender(<EmbeddedProvider loader={fake.loader} preload />);
  view.rerender(<EmbeddedProvider loader={fake.loader} preload />);
  expect(preload).toHaveBeenCalledTimes(1);
});

it('R-60 without a loader does not crash the page, and flows report no_loader', async () => {
  render(
    <EmbeddedProvider loader={undefined as never} preload>
      <ModalSubject session={URL_1} />
    </EmbeddedProvider>,
  );
  click('Pay');
  await settle();
  expect(screen.getByRole('status').textContent).toBe('settled failed no_loader');
  expect(failures).toMatchObject([{ code: 'no_loader' }]);
});

it('passes its current loader to flows', async () => {
  const [before, now] = [createFakeLoader(), createFakeLoader()];
  const page = (fake: typeof now): ReactElement => (
    <EmbeddedProvider loader={fake.loader}>
      <ModalSubject session={URL_1} />
    </EmbeddedProvider>
  );
  const view = render(page(before));
  view.rerender(page(now));
  click('Pay');
  await waitFor(() => expect(now.flows).toHaveLength(1));
  expect(before.flows).toEqual([]);
  await finish(() => now.flows[0]!.cancel());
});

it('the README’s component works with the testing kit', async () => {
  const fake = createFakeLoader();
  vi.stubGlobal('fetch', async () => Response.json({ sessionUrl: URL_1 }));
  render(
    <FakeEmbeddedProvider fake={fake}>
      <PayButton />
    </FakeEmbeddedProvider>,
  );
  await userEvent.setup().click(screen.getByRole('button', { name: 'Pay $76.30' }));
  await waitFor(() => expect(fake.flows.map(({ url }) => url)).toEqual([URL_1]));
  fake.flows[0]!.cancel();
  await settle();
  vi.unstubAllGlobals();
});
