import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import { EmbeddedProvider } from './index.js';
import { PayButton } from '../docs/pay-button.js';
import { settle, URL_1 } from './subjects.fixture.js';
import { FakeEmbeddedProvider } from './testing.js';

it('the provider preloads the script where it is asked to', async () => {
  const fake = createFakeLoader();
  const preload = vi.spyOn(fake.loader, 'preload');
  const view = render(<EmbeddedProvider loader={fake.loader} />);
  expect(preload).not.toHaveBeenCalled();
  view.rerender(<EmbeddedProvider loader={fake.loader} preload />);
  view.rerender(<EmbeddedProvider loader={fake.loader} preload />);
  expect(preload).toHaveBeenCalledTimes(1);
});

it('the component of the repository’s README is tested with the kit', async () => {
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
