// @vitest-environment node
// Renders on a server, without a document, also as a stream.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Suspense, type ReactElement, type ReactNode } from 'react';
import { renderToPipeableStream, renderToString } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { createLoader } from '@embedded-sessions/loader';
import { FakeEmbeddedProvider } from './testing.js';
import {
  EmbeddedFlow,
  EmbeddedProvider,
  useEmbeddedFlow,
  useEmbeddedPayment,
  type PaymentResult,
} from './index.js';

const session = vi.fn(async () => 'https://pay.staging.example.com/s/stg_1#secret');
const loader = createLoader({
  environment: 'staging',
  loaderUrl: 'https://pay.staging.example.com/app/embedded.loader.js',
});

function Modal(): ReactElement {
  const payment = useEmbeddedPayment({ session });
  const wallet = useEmbeddedFlow({ session });
  return <button onClick={payment.pay}>{`${payment.status} ${wallet.status}`}</button>;
}

const page = (content: ReactNode): ReactElement => (
  <EmbeddedProvider loader={loader} preload>
    {content}
  </EmbeddedProvider>
);

function stream(node: ReactElement): Promise<string> {
  return new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(node, {
      onAllReady: () => resolve(text(pipe(new PassThrough()))),
      onError: reject,
    });
  });
}

it.each([
  ['renderToString', async (node: ReactElement) => renderToString(node)],
  ['renderToPipeableStream', stream],
])(
  '%s: renders the busy, labelled region at its reserved height and idle hooks, and requests nothing',
  async (_name, html) => {
    expect(typeof document).toBe('undefined');
    const fetched = vi.spyOn(globalThis, 'fetch');
    const sent = await html(
      page(
        <Suspense fallback={null}>
          <Modal />
          <EmbeddedFlow flow="schedule-payment" session={session} />
          <EmbeddedFlow
            flow="payment"
            session={session}
            aria-label="Pay your bill"
            className="bill"
            style={{ minHeight: 600, color: 'red' }}
            loading={<i>One moment</i>}
          />
        </Suspense>,
      ),
    );
    expect(sent).toContain('<button>idle idle</button>');
    expect(sent).toContain(
      '<div role="region" aria-label="schedule payment" aria-busy="true" style="min-height:757px"><div><p role="status">Loading…</p></div><div></div></div>',
    );
    expect(sent).toContain(
      '<div role="region" aria-label="Pay your bill" aria-busy="true" class="bill" style="min-height:600px;color:red"><div><i>One moment</i></div><div></div></div>',
    );
    expect(session).not.toHaveBeenCalled();
    expect(fetched).not.toHaveBeenCalled();
  },
);

it('renders with the fake provider too', () => {
  expect(renderToString(<FakeEmbeddedProvider>{'bill'}</FakeEmbeddedProvider>)).toBe('bill');
});

it('pay settles on a server, where nothing is mounted', async () => {
  const pays: (() => Promise<PaymentResult>)[] = [];
  function Early(): null {
    pays.push(useEmbeddedPayment({ session, loader }).pay);
    return null;
  }
  renderToString(<Early />);
  await expect(pays[0]!()).resolves.toMatchObject({ status: 'failed', error: { code: 'no_loader' } });
});
