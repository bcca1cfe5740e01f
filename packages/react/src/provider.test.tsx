import { render } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import { EmbeddedProvider } from './index.js';
import './subjects.fixture.js';

it('the provider preloads the script where it is asked to', async () => {
  const fake = createFakeLoader();
  const preload = vi.spyOn(fake.loader, 'preload');
  const view = render(<EmbeddedProvider loader={fake.loader} />);
  expect(preload).not.toHaveBeenCalled();
  view.rerender(<EmbeddedProvider loader={fake.loader} preload />);
  view.rerender(<EmbeddedProvider loader={fake.loader} preload />);
  expect(preload).toHaveBeenCalledTimes(1);
});
