// Tests the options and callbacks of providers, hooks and components.
import { useRef, type ReactElement } from 'react';
import { act, render, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import {
  EmbeddedFlow,
  EmbeddedProvider,
  useEmbeddedFlow,
  useEmbeddedPayment,
  type Appearance,
  type EmbeddedEvent,
  type SessionSource,
} from './index.js';
import { click, finish, ModalSubject, neverReady, settle, stage, URL_1 } from '../test/subjects.js';

/** A fake loader that records the options of each flow. */
function recordingLoader() {
  const fake = createFakeLoader();
  const opened: object[] = [];
  const loader: typeof fake.loader = {
    ...fake.loader,
    async load(options) {
      const service = await fake.loader.load(options);
      const record =
        (open: typeof service.startFlow): typeof service.startFlow =>
        (session, flowOptions) => {
          opened.push(flowOptions ?? {});
          return open(session, flowOptions);
        };
      return {
        ...service,
        completePayment: record((session, flowOptions) => service.completePayment(session, flowOptions)),
        startFlow: record((session, flowOptions) => service.startFlow(session, flowOptions)),
      };
    },
  };
  return { fake: { ...fake, loader }, opened };
}

interface DisplayOptions {
  locale?: string;
  appearance?: Appearance;
}

const SUBJECTS: Record<string, (options: DisplayOptions) => ReactElement> = {
  useEmbeddedPayment: function Payment(options) {
    return <button onClick={useEmbeddedPayment({ session: URL_1, ...options }).pay}>Open</button>;
  },
  useEmbeddedFlow: function Other(options) {
    return <button onClick={useEmbeddedFlow({ session: URL_1, ...options }).start}>Open</button>;
  },
  EmbeddedFlow: (options) => <EmbeddedFlow flow="wallet" session={URL_1} {...options} />,
};

describe.each(Object.entries(SUBJECTS))('R-70 %s', (name, Subject) => {
  const dark: Appearance = { colorScheme: 'dark', accent: '#0a5c36' };
  const light: Appearance = { radius: 0 };

  it.each<[string, DisplayOptions, DisplayOptions, object]>([
    ['nothing', {}, {}, { locale: undefined, appearance: undefined }],
    ['the provider’s', { locale: 'es', appearance: dark }, {}, { locale: 'es', appearance: dark }],
    ['its own', {}, { locale: 'fr', appearance: light }, { locale: 'fr', appearance: light }],
    [
      'its own before the provider’s, each by itself',
      { locale: 'es', appearance: dark },
      { appearance: light },
      { locale: 'es', appearance: light },
    ],
  ])('opens its flow with %s', async (_what, provided, own, expected) => {
    const { fake, opened } = recordingLoader();
    render(
      <EmbeddedProvider loader={fake.loader} {...provided}>
        <Subject {...own} />
      </EmbeddedProvider>,
    );
    if (name !== 'EmbeddedFlow') click('Open');
    await waitFor(() => expect(opened).toHaveLength(1));
    await settle();
    const { locale, appearance } = opened[0] as DisplayOptions;
    expect({ locale, appearance }).toEqual(expected);
  });

  it('opens with the latest rendered options', async () => {
    const { fake, opened } = recordingLoader();
    const page = (locale: string) => (
      <EmbeddedProvider loader={fake.loader} locale={locale}>
        <Subject />
      </EmbeddedProvider>
    );
    const view = render(page('es'));
    view.rerender(page('fr'));
    if (name !== 'EmbeddedFlow') click('Open');
    await waitFor(() => expect(opened).toHaveLength(1));
    await settle();
    // An open form keeps its initial options: restarting it would lose the payer's input.
    expect(opened).toMatchObject([{ locale: 'fr' }]);
  });
});

it.each<[string, SessionSource, boolean]>([
  ['a function', async () => URL_1, true],
  ['a URL', URL_1, false],
])('R-51 passes whether it can renew a session that is %s', async (_what, session, canRenew) => {
  const { fake, opened } = recordingLoader();
  const scene = stage(<ModalSubject session={session} />, { fake });
  click('Pay');
  await scene.opened();
  expect(opened).toMatchObject([{ canRenew }]);
});

it.each(['payment', 'other'] as const)(
  'calls onReady once per attempt and onEvent for each event, on hook and provider, for the flow %s',
  async (kind) => {
    const onReady = vi.fn();
    const own: EmbeddedEvent[] = [];
    function Subject(): ReactElement {
      const options = { session: URL_1, onReady, onEvent: (event: EmbeddedEvent) => own.push(event) };
      const start = { payment: useEmbeddedPayment(options).pay, other: useEmbeddedFlow(options).start };
      return <button onClick={start[kind]}>Open</button>;
    }
    const scene = stage(<Subject />);
    for (const attempt of [1, 2]) {
      click('Open');
      await waitFor(() => expect(scene.fake.flows).toHaveLength(attempt));
      await settle();
      expect(onReady).toHaveBeenCalledTimes(attempt);
      await finish(() => scene.fake.flows[attempt - 1]!.cancel());
    }
    const types = ['opened', 'ready', 'closed', 'settled'];
    expect(own.map(({ type, flow }) => ({ type, flow }))).toEqual(
      [...types, ...types].map((type) => ({ type, flow: kind })),
    );
    expect(own).toEqual(scene.events);
  },
);

it('does not call onReady for a modal whose SDK never reports ready', async () => {
  const onReady = vi.fn();
  function Subject(): ReactElement {
    const { pay, status } = useEmbeddedPayment({ session: URL_1, onReady });
    return <button onClick={pay}>{status}</button>;
  }
  const scene = stage(<Subject />, { fake: neverReady(createFakeLoader()) });
  click('idle');
  const flow = await scene.opened();
  expect(screen.getByRole('button').textContent).toBe('open');
  expect(onReady).not.toHaveBeenCalled();
  await finish(() => flow.complete());
});

it('<EmbeddedFlow> calls the latest onReady and onEvent, and onReady only once', async () => {
  const calls: string[] = [];
  const subject = (turn: string): ReactElement => (
    <EmbeddedFlow
      flow="autopay"
      session={URL_1}
      onReady={() => calls.push(`${turn}: shown`)}
      onEvent={({ type, flow }) => calls.push(`${turn}: ${flow} ${type}`)}
    />
  );
  const scene = stage(subject('first'));
  const flow = await scene.opened();
  scene.show(subject('second'));
  await finish(() => flow.container!.dispatchEvent(new Event('load')));
  await finish(() => flow.complete());
  expect(calls).toEqual([
    'first: autopay opened',
    'first: shown',
    'first: autopay ready',
    'second: autopay completed',
    'second: autopay settled',
  ]);
});

it('does not call onReady for a form that failed before it was shown', async () => {
  const onReady = vi.fn();
  const fake = createFakeLoader();
  const load = () => Promise.reject(new Error('no script'));
  stage(<EmbeddedFlow flow="payment" session={URL_1} onReady={onReady} />, {
    fake: { ...fake, loader: { ...fake.loader, load } },
  });
  await screen.findByRole('alert');
  expect(onReady).not.toHaveBeenCalled();
});

it('a modal that outlives its component calls the provider’s current onEvent', async () => {
  const fake = createFakeLoader();
  const calls: string[] = [];
  function PayButton(): ReactElement {
    return <button onClick={useEmbeddedPayment({ session: URL_1 }).pay}>Pay</button>;
  }
  const page = (turn: string, content: ReactElement | null): ReactElement => (
    <EmbeddedProvider loader={fake.loader} onEvent={({ type }) => calls.push(`${turn}: ${type}`)}>
      {content}
    </EmbeddedProvider>
  );
  const view = render(page('first', <PayButton />));
  click('Pay');
  await waitFor(() => expect(fake.flows).toHaveLength(1));
  await settle();
  view.rerender(page('second', null));
  view.rerender(page('third', null));
  await finish(() => fake.flows[0]!.complete());
  expect(calls).toEqual([
    'first: opened',
    'first: ready',
    'third: completed',
    'third: closed',
    'third: settled',
  ]);
});

it('new options of the provider do not rerender its children', async () => {
  const fake = createFakeLoader();
  let renders = 0;
  function Subject(): ReactElement {
    const { status } = useEmbeddedPayment({ session: URL_1 });
    const count = useRef(0);
    return <output ref={() => void (renders = count.current += 1)}>{status}</output>;
  }
  const content = <Subject />;
  const page = (accent: string): ReactElement => (
    <EmbeddedProvider loader={fake.loader} onEvent={() => {}} appearance={{ accent }}>
      {content}
    </EmbeddedProvider>
  );
  const view = render(page('#000000'));
  const before = renders;
  view.rerender(page('#0a5c36'));
  expect(renders).toBe(before);
});

it('R-70 prefetch warms the loader with the flow’s locale and appearance, and ignores a failure', async () => {
  const fake = createFakeLoader();
  const warm = vi.fn(() => Promise.reject(new Error('no network')));
  function Subject(): ReactElement {
    const { pay, prefetch } = useEmbeddedPayment({ session: URL_1, locale: 'es' });
    return (
      <button onFocus={prefetch} onClick={pay}>
        Pay
      </button>
    );
  }
  const loader = { ...fake.loader, warm };
  const scene = stage(<Subject />, { fake: { ...fake, loader } });
  act(() => screen.getByRole('button').focus());
  await settle();
  expect(warm.mock.calls).toEqual([[{ locale: 'es', appearance: undefined }]]);
  click('Pay');
  expect((await scene.opened()).url).toBe(URL_1);
});
