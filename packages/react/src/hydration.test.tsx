// Hydrates the server's HTML without warnings (the fixture fails on any) and without a second session.
import { StrictMode, type ReactElement } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { act, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import { EmbeddedFlow, EmbeddedProvider } from './index.js';
import { click, finish, ModalSubject, settle, URL_1 } from '../test/subjects.js';

it.each([true, false])('hydrates, StrictMode %s', async (strict) => {
  const fake = createFakeLoader();
  const session = vi.fn(async () => URL_1);
  const recovered = vi.fn();
  const content = (
    <EmbeddedProvider loader={fake.loader} preload>
      <ModalSubject session={session} />
      <EmbeddedFlow flow="payment" session={session} aria-label="Pay your bill" />
    </EmbeddedProvider>
  );
  const page: ReactElement = strict ? <StrictMode>{content}</StrictMode> : content;

  const container = document.body.appendChild(document.createElement('div'));
  container.innerHTML = renderToString(page);
  const region = screen.getByRole('region', { name: 'Pay your bill' });
  expect(region.getAttribute('aria-busy')).toBe('true');

  const root = await act(async () => hydrateRoot(container, page, { onRecoverableError: recovered }));
  await waitFor(() => expect(fake.flows).toHaveLength(1));
  await settle();
  expect(screen.getByRole('region')).toBe(region);
  expect(region.getAttribute('aria-busy')).toBe('false');
  expect(region.contains(fake.flows[0]!.container!)).toBe(true);
  click('Pay');
  await waitFor(() => expect(fake.flows).toHaveLength(2));
  await finish(() => fake.flows[1]!.complete());
  expect(session).toHaveBeenCalledTimes(2);
  expect(recovered).not.toHaveBeenCalled();
  act(() => root.unmount());
  container.remove();
});
