// What `<embedded-flow>` requests from a loader and reports to its page. e2e/loader proves that it works in a browser.
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi, type Mock } from 'vitest';
import manifest from '../custom-elements.json' with { type: 'json' };
import { defineEmbeddedFlow, type EmbeddedFlowElement, type EmbeddedFlowElementEventMap } from './element.js';
import { LoaderError } from './error.js';
import type { EmbeddedService, FlowOptions } from './flow.js';
import type { Loader } from './load.js';
import type { FlowResult } from './sdk.js';

const SESSION = 'https://pay.test/s/stg_1';

interface Opened {
  method: 'completePayment' | 'startFlow';
  session: unknown;
  options: FlowOptions;
  settle: (result: FlowResult) => void;
  fail: (error: unknown) => void;
}

let opened: Opened[];
let loadError: LoaderError | undefined;
let loads: (AbortSignal | undefined)[];

const door = (method: Opened['method']) => (session: unknown, options: FlowOptions) =>
  new Promise<FlowResult>((settle, fail) => opened.push({ method, session, options, settle, fail }));
/** A page registers an element once, so its loader delegates to the current test. */
const page = globalThis as { loadOfElement?: Loader['load'] };
const load: Loader['load'] = async (options) => {
  loads.push(options?.signal);
  if (loadError) throw loadError;
  return { completePayment: door('completePayment'), startFlow: door('startFlow') } as EmbeddedService;
};
const loader = {
  environment: 'staging',
  load: (options: Parameters<Loader['load']>[0]) => page.loadOfElement?.(options),
} as unknown as Loader;

const turn = () => new Promise((resolve) => setTimeout(resolve));
function element(): EmbeddedFlowElement & { received: [string, unknown][] } {
  const made = Object.assign(document.createElement(name) as EmbeddedFlowElement, {
    received: [] as [string, unknown][],
  });
  for (const type of ['settled', 'error'] as const)
    made.addEventListener(type, ({ detail }) => made.received.push([type, detail]));
  return made;
}
const shown = async (session: unknown = SESSION) => {
  const made = element();
  made.session = session as string;
  document.body.append(made);
  await turn();
  return made;
};

let complaints: Mock;
/** Element names can't be registered twice, so a rerun of this file must not use the previous element. */
const name = `embedded-flow-${crypto.randomUUID()}`;
beforeAll(() => {
  const registry = customElements;
  const define = (_: string, made: CustomElementConstructor) => registry.define(name, made);
  vi.stubGlobal('customElements', { get: () => undefined, define });
  defineEmbeddedFlow(loader);
  vi.unstubAllGlobals();
});
beforeEach(() => {
  complaints = vi.spyOn(console, 'error').mockImplementation(() => {});
  page.loadOfElement = load;
  opened = [];
  loads = [];
  loadError = undefined;
});
afterEach(async () => {
  document.body.replaceChildren();
  await turn();
});

describe('the flow that an <embedded-flow> opens', () => {
  it.each([
    [null, 'completePayment'],
    ['', 'completePayment'],
    ['payment', 'completePayment'],
    ['autopay', 'startFlow'],
    ['wallet', 'startFlow'],
    ['paperless', 'startFlow'],
    ['schedule-payment', 'startFlow'],
    ['scheduled-payments', 'startFlow'],
    ['notifications', 'startFlow'],
  ])('R-4 flow=%j calls %s and opens inline', async (flow, method) => {
    const made = element();
    if (flow !== null) made.setAttribute('flow', flow);
    made.session = SESSION;
    document.body.append(made);
    await turn();
    const options = { container: made, expectedFlow: flow || 'payment' };
    expect(opened).toMatchObject([{ method, session: SESSION, options }]);
    expect(opened[0]?.options).not.toHaveProperty('locale');
    expect(made.flow).toBe(flow || 'payment');
  });

  it('reports an unknown flow as an error and loads nothing', async () => {
    const made = element();
    made.flow = 'toString' as 'payment';
    made.session = SESSION;
    document.body.append(made);
    await turn();
    const message = expect.stringContaining('toString') as string;
    expect(complaints).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/^embedded-sessions: flow="toString" \S/),
    );
    expect(made.received).toMatchObject([['error', { code: 'invalid_options', message }]]);
    expect([opened, loads]).toEqual([[], []]);
    expect(made.ariaBusy).toBeNull();
  });

  it('R-70 passes its locale on', async () => {
    const made = element();
    expect(made.locale).toBe('');
    made.locale = 'es';
    made.session = SESSION;
    document.body.append(made);
    await turn();
    expect(opened[0]?.options.locale).toBe('es');
    expect(made.getAttribute('locale')).toBe('es');
  });
});

describe('opening', () => {
  it('opens nothing without a session or outside the page', async () => {
    const made = element();
    made.session = SESSION;
    await turn();
    expect(opened).toEqual([]);
    const empty = element();
    document.body.append(empty);
    await turn();
    expect(empty.session).toBeNull();
    // Pages may style by attributes, so missing options must not set any.
    expect([empty.hasAttribute('flow'), empty.hasAttribute('locale')]).toEqual([false, false]);
    expect(opened).toEqual([]);
    document.body.append(made);
    await turn();
    expect(opened).toHaveLength(1);
  });

  it('R-2 removes the session attribute when it is read', async () => {
    const made = element();
    made.setAttribute('session', SESSION);
    expect(made.hasAttribute('session')).toBe(false);
    expect(made.session).toBe(SESSION);
    document.body.append(made);
    await turn();
    expect(opened).toHaveLength(1);
    expect(made.outerHTML).not.toContain('stg_1');
  });

  it('uses properties that a framework set before the element was defined', async () => {
    const made = element();
    for (const [name, value] of Object.entries({ session: SESSION, flow: 'wallet', locale: 'fr' }))
      Object.defineProperty(made, name, { value, configurable: true, enumerable: true, writable: true });
    document.body.append(made);
    await turn();
    expect(opened).toMatchObject([{ method: 'startFlow', session: SESSION, options: { locale: 'fr' } }]);
    for (const name of ['session', 'flow', 'locale']) expect(Object.hasOwn(made, name)).toBe(false);
    made.session = null;
    await turn();
    expect(opened[0]?.options.signal?.aborted).toBe(true);
  });

  it.each<[string, FlowResult, number]>([
    ['opens again if the outcome is unknown', { status: 'unknown' }, 2],
    ['does not open again if the outcome is known', { status: 'canceled', by: 'payer' }, 1],
  ])('R-60 after a restore from the back-forward cache it %s', async (_, result, count) => {
    const made = await shown();
    const restore = async (persisted: boolean) => {
      dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
      await turn();
    };
    // Its loader may settle later because of that.
    const restored = restore(true);
    opened[0]?.settle(result);
    await restored;
    await turn();
    expect(opened).toHaveLength(count);
    opened[1]?.settle({ status: 'unknown' });
    await turn();
    await restore(false);
    made.remove();
    await restore(true);
    expect(opened).toHaveLength(count);
    expect(made.received).toHaveLength(count);
  });

  it('stays open when the same session is set again and when it is moved', async () => {
    const made = await shown({ sessionUrl: SESSION });
    made.session = { sessionUrl: SESSION, environment: 'staging' };
    await turn();
    made.session = SESSION;
    const place = document.body.appendChild(document.createElement('div'));
    place.append(made);
    await turn();
    expect(opened).toHaveLength(1);
    expect(opened[0]?.options.signal?.aborted).toBe(false);
  });

  it('is a block that any rule of the page can override', async () => {
    const made = await shown();
    expect(made.getAttribute('style')).toBeNull();
    const rules = [...(made.shadowRoot?.adoptedStyleSheets[0]?.cssRules ?? [])].map(({ cssText }) => cssText);
    expect(rules.map((rule) => rule.replace(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/^:host ?\{ display: block; \}$/),
      expect.stringMatching(/^:host\(\[hidden\]\) ?\{ display: none; \}$/),
    ]);
    const { shadowRoot } = made;
    document.body.append(made);
    expect(made.shadowRoot).toBe(shadowRoot);
  });
});

describe('reporting', () => {
  it('is busy until its form can be used', async () => {
    const made = await shown();
    expect(made.ariaBusy).toBe('true');
    opened[0]?.options.onEvent?.({ type: 'opened' });
    expect(made.ariaBusy).toBe('true');
    opened[0]?.options.onEvent?.({ type: 'ready' });
    expect(made.ariaBusy).toBeNull();
  });

  it('dispatches settled, which does not bubble', async () => {
    const made = await shown();
    const listener = vi.fn();
    document.body.addEventListener('settled', listener);
    const result: FlowResult = { status: 'completed', detail: { Status: 'Succeeded' } };
    opened[0]?.settle(result);
    await turn();
    expect(made.received).toEqual([['settled', result]]);
    expect(made.ariaBusy).toBeNull();
    expect(listener).not.toHaveBeenCalled();
    document.body.removeEventListener('settled', listener);
  });

  it('R-52 dispatches error, and opens the same session again only if the error is retryable', async () => {
    for (const [code, times] of [
      ['timeout', 2],
      ['flow_failed', 1],
    ] as const) {
      opened = [];
      const made = await shown();
      const error = new LoaderError(code, 'Why.');
      opened[0]?.fail(error);
      await turn();
      expect(made.received).toEqual([['error', error]]);
      expect(made.ariaBusy).toBeNull();
      made.session = SESSION;
      await turn();
      expect(opened).toHaveLength(times);
      made.remove();
      await turn();
    }
  });

  it('dispatches error if the SDK does not load', async () => {
    loadError = new LoaderError('offline', 'Offline.');
    const made = await shown();
    expect(made.received).toEqual([['error', loadError]]);
    expect(opened).toEqual([]);
  });
});

it('explains a session that a framework rendered as an attribute before the element was defined', async () => {
  const made = element();
  made.setAttribute('session', '[object Object]');
  document.body.append(made);
  await turn();
  expect(made.received).toMatchObject([['error', { code: 'invalid_options' }]]);
  expect(complaints).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining('call defineEmbeddedFlow before the page is rendered'),
  );
});

describe('replacing a flow', () => {
  it('closes the first flow, waits for its teardown, and reports only the next one', async () => {
    const made = await shown();
    made.session = 'https://pay.test/s/stg_2';
    await turn();
    expect(opened).toHaveLength(1);
    expect(opened[0]?.options.signal?.aborted).toBe(true);
    expect(loads[0]?.aborted).toBe(true);
    opened[0]?.settle({ status: 'canceled', by: 'merchant' });
    await turn();
    expect(opened).toMatchObject([{}, { session: 'https://pay.test/s/stg_2' }]);
    expect(made.received).toEqual([]);
    made.flow = 'wallet';
    await turn();
    expect(opened[1]?.options.signal?.aborted).toBe(true);
    opened[1]?.fail(new LoaderError('timeout', 'Late.'));
    await turn();
    expect(opened).toMatchObject([{}, {}, { method: 'startFlow' }]);
    expect(made.received).toEqual([]);
    opened[2]?.settle({ status: 'unknown' });
    await turn();
    expect(made.received).toEqual([['settled', { status: 'unknown' }]]);
  });

  it('R-52 neither logs the failure of the replaced flow nor opens the next one twice', async () => {
    const made = await shown();
    made.session = 'https://pay.test/s/stg_2';
    await turn();
    opened[0]?.fail(new LoaderError('timeout', 'Late.'));
    await turn();
    expect(complaints).not.toHaveBeenCalled();
    made.session = 'https://pay.test/s/stg_2';
    await turn();
    expect(opened[1]?.options.signal?.aborted).toBe(false);
    opened[1]?.settle({ status: 'canceled', by: 'payer' });
    await turn();
    expect(opened).toHaveLength(2);
    expect(made.received).toEqual([['settled', { status: 'canceled', by: 'payer' }]]);
  });

  it('treats changes of session and flow in the same task as one', async () => {
    const made = await shown();
    made.flow = 'wallet';
    made.session = 'https://pay.test/s/stg_2';
    opened[0]?.settle({ status: 'canceled', by: 'merchant' });
    await turn();
    expect(opened).toMatchObject([
      { method: 'completePayment' },
      { method: 'startFlow', session: 'https://pay.test/s/stg_2' },
    ]);
  });

  it('closes when it leaves the page or loses its session', async () => {
    const one = await shown();
    one.remove();
    await turn();
    expect(opened[0]?.options.signal?.aborted).toBe(true);
    const other = await shown('https://pay.test/s/stg_2');
    other.session = null;
    await turn();
    expect(opened[1]?.options.signal?.aborted).toBe(true);
    expect(opened).toHaveLength(2);
  });
});

it('keeps the first registration, and does nothing without custom elements', () => {
  defineEmbeddedFlow(loader);
  const { customElements } = globalThis;
  expect(customElements.get('embedded-flow')).toBeTypeOf('function');
  expect(() => defineEmbeddedFlow(loader)).not.toThrow();
  vi.stubGlobal('customElements', undefined);
  expect(() => defineEmbeddedFlow(loader)).not.toThrow();
  vi.unstubAllGlobals();
  expect(globalThis.customElements).toBe(customElements);
});

it('custom-elements.json names its attributes, properties and events', () => {
  const { tagName, attributes, members, events } = manifest.modules[0]!.declarations[0]!;
  const names = (list: { name: string }[]) => list.map(({ name }) => name).toSorted();
  const own = Object.getOwnPropertyNames(customElements.get(name)!.prototype);
  const accessors = own.filter((each) => each !== 'constructor' && !each.endsWith('Callback'));

  expect(tagName).toBe('embedded-flow');
  expect(names(members)).toEqual(accessors.toSorted());
  expect(names(attributes)).toEqual(accessors.toSorted());
  expect(names(events)).toEqual(['error', 'settled'] satisfies (keyof EmbeddedFlowElementEventMap)[]);
});
