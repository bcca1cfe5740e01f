// Components under test and the page around them. A test fails on any unhandled rejection, and on any `console.error`
// except for a failed flow.
import { StrictMode, type ReactElement, type ReactNode } from 'react';
import {
  act,
  cleanup,
  configure,
  fireEvent,
  render,
  screen,
  waitFor,
  type RenderResult,
} from '@testing-library/react';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import type { Loader } from '@embedded-sessions/loader';
import { createFakeLoader, type FakeFlow, type FakeLoader } from '@embedded-sessions/loader/testing';
import {
  EmbeddedFlow,
  EmbeddedPaymentError,
  EmbeddedProvider,
  useEmbeddedPayment,
  type EmbeddedEvent,
  type PaymentResult,
  type SessionSource,
} from '../src/index.js';

export const URL_1 = 'https://pay.staging.example.com/s/stg_1#secret-1';
export const URL_2 = 'https://pay.staging.example.com/s/stg_2#secret-2';

// The same timeout as `expect.poll` (vitest.config.ts).
configure({ asyncUtilTimeout: 25_000 });

let complaints: unknown[][];
/** Console messages of failed flows. */
export let failures: unknown[];
beforeEach(() => {
  complaints = [];
  failures = [];
  for (const method of ['error', 'warn'] as const) {
    vi.spyOn(console, method).mockImplementation((...args) => {
      if (args[0] === 'embedded-sessions:' && args[1] instanceof EmbeddedPaymentError) failures.push(args[1]);
      else complaints.push(args);
    });
  }
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
  expect(complaints).toEqual([]);
});

/** Lets pending promises settle, then React. */
export const settle = (): Promise<void> =>
  act(async () => void (await new Promise((done) => setTimeout(done))));

export interface SubjectProps {
  session: SessionSource;
  sessionKey?: string;
  onSettled?: (result: PaymentResult) => void;
  loader?: Loader;
}

export function ModalSubject(props: SubjectProps): ReactElement {
  const { pay, status, result, error, abort, reset, prefetch } = useEmbeddedPayment(props);
  return (
    <>
      <button onClick={pay}>Pay</button>
      <button onClick={abort}>Abort</button>
      <button onClick={reset}>Reset</button>
      <button onClick={prefetch}>Prefetch</button>
      <output>{[status, result?.status, error?.code].filter(Boolean).join(' ')}</output>
    </>
  );
}

export function InlineSubject(props: SubjectProps): ReactElement {
  return <EmbeddedFlow flow="payment" {...props} />;
}

export const SUBJECTS: { modal: typeof ModalSubject; inline: typeof InlineSubject } = {
  modal: ModalSubject,
  inline: InlineSubject,
};

export const click = (name: string): boolean => fireEvent.click(screen.getByRole('button', { name }));

/** StrictMode or not × loader from a provider or by prop × modal or inline. */
export const MATRIX = ([true, false] as const).flatMap((strict) =>
  (['provider', 'option'] as const).flatMap((from) =>
    (['modal', 'inline'] as const).map((kind) => ({ strict, from, kind })),
  ),
);

export interface Scene extends RenderResult {
  fake: FakeLoader;
  events: EmbeddedEvent[];
  /** Renders again in the same place. */
  show(node: ReactNode): void;
  /** Waits for the only flow and returns it. */
  opened(): Promise<FakeFlow>;
}

/** A loader whose SDK never reports that its form is ready. */
export function neverReady(fake: FakeLoader): FakeLoader {
  const load = async () => {
    const service = await fake.loader.load();
    const completePayment: typeof service.completePayment = (session, options) =>
      service.completePayment(session, { ...options, onEvent: () => {} });
    return { ...service, completePayment };
  };
  return { ...fake, loader: { ...fake.loader, load } };
}

/** A page with a provider. */
export function stage(node: ReactNode, { strict = true, fake = createFakeLoader() } = {}): Scene {
  const events: EmbeddedEvent[] = [];
  const page = (content: ReactNode): ReactElement => {
    const inner = (
      <EmbeddedProvider loader={fake.loader} onEvent={(event) => events.push(event)}>
        {content}
      </EmbeddedProvider>
    );
    return strict ? <StrictMode>{inner}</StrictMode> : inner;
  };
  const view = render(page(node));
  return {
    ...view,
    fake,
    events,
    show: (content) => view.rerender(page(content)),
    async opened() {
      await waitFor(() => expect(fake.flows).toHaveLength(1));
      await settle();
      return fake.flows[0]!;
    },
  };
}

/** Ends a flow as the payer would, and waits until the page has reacted. */
export async function finish(how: () => void): Promise<void> {
  await act(async () => how());
  await settle();
}
