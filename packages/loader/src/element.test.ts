// Tests what `<embedded-flow>` requests from a loader and reports to its page. e2e/loader tests it in browsers.
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

const opener = (method: Opened['method']) => (session: unknown, options: FlowOptions) =>
  new Promise<FlowResult>((settle, fail) => opened.push({ method, session, options, settle, fail }));
/** An element can be registered once per page, so its loader delegates to the current test. */
const page = globalThis as { loadOfElement?: Loader['load'] };
const load: Loader['load'] = async (options) => {
  loads.push(options?.signal);
  if (loadError) throw loadError;
  return { completePayment: opener('completePayment'), startFlow: opener('startFlow') } as EmbeddedService;
};
const loader = {
  environment: 'staging',
  load: (options: Parameters<Loader['load']>[0]) => page.loadOfElement?.(options),
} as unknown as Loader;

const nextTask = () => new Promise((resolve) => setTimeout(resolve));
function element(): EmbeddedFlowElement & { received: [string, unknown][] } {
  const created = Object.assign(document.createElement(name) as EmbeddedFlowElement, {
    received: [] as [string, unknown][],
  });
  for (const type of ['settled', 'error'] as const)
    created.addEventListener(type, ({ detail }) => created.received.push([type, detail]));
  return created;
}
const shown = async (session: unknown = SESSION) => {
  const created = element();
  created.session = session as string;
  document.body.append(created);
  await nextTask();
  return created;
};

let complaints: Mock;
/** Random, because a name can't be registered again when this file is rerun. */
const name = `embedded-flow-${crypto.randomUUID()}`;
beforeAll(() => {
  const registry = customElements;
  const define = (_: string, created: CustomElementConstructor) => registry.define(name, created);
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
  await nextTask();
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
    const created = element();
    if (flow !== null) created.setAttribute('flow', flow);
    created.session = SESSION;
    document.body.append(created);
    await nextTask();
    expect(opened).toMatchObject([{ method, session: SESSION, options: { container: created } }]);
    expect(opened[0]?.options).not.toHaveProperty('locale');
    expect(created.flow).toBe(flow || 'payment');
  });

  it('reports an unknown flow as an error and loads nothing', async () => {
    const created = element();
    created.flow = 'toString' as 'payment';
    created.session = SESSION;
    document.body.append(created);
    await nextTask();
    const message = expect.stringContaining('toString') as string;
    expect(complaints).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/^embedded-sessions: flow="toString" \S/),
    );
    expect(created.received).toMatchObject([['error', { code: 'invalid_options', message }]]);
    expect([opened, loads]).toEqual([[], []]);
    expect(created.ariaBusy).toBeNull();
  });

  it('R-70 passes its locale on', async () => {
    const created = element();
    expect(created.locale).toBe('');
    created.locale = 'es';
    created.session = SESSION;
    document.body.append(created);
    await nextTask();
    expect(opened[0]?.options.locale).toBe('es');
    expect(created.getAttribute('locale')).toBe('es');
  });
});

describe('opening', () => {
  it('opens nothing without a session or outside the page', async () => {
    const created = element();
    created.session = SESSION;
    await nextTask();
    expect(opened).toEqual([]);
    const empty = element();
    document.body.append(empty);
    await nextTask();
    expect(empty.session).toBeNull();
    // Pages may style by attributes, so the element must not add any.
    expect([empty.hasAttribute('flow'), empty.hasAttribute('locale')]).toEqual([false, false]);
    expect(opened).toEqual([]);
    document.body.append(created);
    await nextTask();
    expect(opened).toHaveLength(1);
  });

  it('R-2 removes the session attribute when it is read', async () => {
    const created = element();
    created.setAttribute('session', SESSION);
    expect(created.hasAttribute('session')).toBe(false);
    expect(created.session).toBe(SESSION);
    document.body.append(created);
    await nextTask();
    expect(opened).toHaveLength(1);
    expect(created.outerHTML).not.toContain('stg_1');
  });

  it('uses properties that a framework set before the element was defined', async () => {
    const created = element();
    for (const [name, value] of Object.entries({ session: SESSION, flow: 'wallet', locale: 'fr' }))
      Object.defineProperty(created, name, { value, configurable: true, enumerable: true, writable: true });
    document.body.append(created);
    await nextTask();
    expect(opened).toMatchObject([{ method: 'startFlow', session: SESSION, options: { locale: 'fr' } }]);
    for (const name of ['session', 'flow', 'locale']) expect(Object.hasOwn(created, name)).toBe(false);
    created.session = null;
    await nextTask();
    expect(opened[0]?.options.signal?.aborted).toBe(true);
  });

  it.each<[string, FlowResult, number]>([
    ['opens again if the outcome is unknown', { status: 'unknown' }, 2],
    ['does not open again if the outcome is known', { status: 'canceled', by: 'payer' }, 1],
  ])('R-60 %s after a restore from the back-forward cache', async (_, result, count) => {
    const created = await shown();
    const restore = async (persisted: boolean) => {
      dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
      await nextTask();
    };
    // The restore may make its loader settle later.
    const restored = restore(true);
    opened[0]?.settle(result);
    await restored;
    await nextTask();
    expect(opened).toHaveLength(count);
    opened[1]?.settle({ status: 'unknown' });
    await nextTask();
    await restore(false);
    created.remove();
    await restore(true);
    expect(opened).toHaveLength(count);
    expect(created.received).toHaveLength(count);
  });

  it('stays open when the same session is set again and when it is moved', async () => {
    const created = await shown({ sessionUrl: SESSION });
    created.session = { sessionUrl: SESSION, environment: 'staging' };
    await nextTask();
    created.session = SESSION;
    const place = document.body.appendChild(document.createElement('div'));
    place.append(created);
    await nextTask();
    expect(opened).toHaveLength(1);
    expect(opened[0]?.options.signal?.aborted).toBe(false);
  });

  it('is displayed as a block, which any rule of the page overrides', async () => {
    const created = await shown();
    expect(created.getAttribute('style')).toBeNull();
    const rules = [...(created.shadowRoot?.adoptedStyleSheets[0]?.cssRules ?? [])].map(
      ({ cssText }) => cssText,
    );
    expect(rules.map((rule) => rule.replace(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/^:host ?\{ display: block; \}$/),
      expect.stringMatching(/^:host\(\[hidden\]\) ?\{ display: none; \}$/),
    ]);
    const { shadowRoot } = created;
    document.body.append(created);
    expect(created.shadowRoot).toBe(shadowRoot);
  });
});

describe('reporting', () => {
  it('is busy until its form is ready', async () => {
    const created = await shown();
    expect(created.ariaBusy).toBe('true');
    opened[0]?.options.onEvent?.({ type: 'opened' });
    expect(created.ariaBusy).toBe('true');
    opened[0]?.options.onEvent?.({ type: 'ready' });
    expect(created.ariaBusy).toBeNull();
  });

  it('is busy with a second session after the first has ended', async () => {
    const created = await shown();
    created.session = `${SESSION}2`;
    await nextTask();
    opened[0]?.settle({ status: 'canceled', by: 'merchant' });
    await nextTask();
    expect(created.ariaBusy).toBe('true');
  });

  it('dispatches settled, which does not bubble', async () => {
    const created = await shown();
    const listener = vi.fn();
    document.body.addEventListener('settled', listener);
    const result: FlowResult = { status: 'completed', detail: { Status: 'Succeeded' } };
    opened[0]?.settle(result);
    await nextTask();
    expect(created.received).toEqual([['settled', result]]);
    expect(created.ariaBusy).toBeNull();
    expect(listener).not.toHaveBeenCalled();
    document.body.removeEventListener('settled', listener);
  });

  it('R-52 dispatches error, and opens the same session again only if the error is retryable', async () => {
    for (const [code, times] of [
      ['timeout', 2],
      ['flow_failed', 1],
    ] as const) {
      opened = [];
      const created = await shown();
      const error = new LoaderError(code, 'Why.');
      opened[0]?.fail(error);
      await nextTask();
      expect(created.received).toEqual([['error', error]]);
      expect(created.ariaBusy).toBeNull();
      created.session = SESSION;
      await nextTask();
      expect(opened).toHaveLength(times);
      created.remove();
      await nextTask();
    }
  });

  it('dispatches error if the SDK fails to load', async () => {
    loadError = new LoaderError('offline', 'Offline.');
    const created = await shown();
    expect(created.received).toEqual([['error', loadError]]);
    expect(opened).toEqual([]);
  });
});

it('explains a session that a framework rendered as an attribute before the element was defined', async () => {
  const created = element();
  created.setAttribute('session', '[object Object]');
  document.body.append(created);
  await nextTask();
  expect(created.received).toMatchObject([['error', { code: 'invalid_options' }]]);
  expect(complaints).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining('call defineEmbeddedFlow before the page is rendered'),
  );
});

describe('replacing a flow', () => {
  it('closes the first flow, waits for its teardown, and reports only the next one', async () => {
    const created = await shown();
    created.session = 'https://pay.test/s/stg_2';
    await nextTask();
    expect(opened).toHaveLength(1);
    expect(opened[0]?.options.signal?.aborted).toBe(true);
    expect(loads[0]?.aborted).toBe(true);
    opened[0]?.settle({ status: 'canceled', by: 'merchant' });
    await nextTask();
    expect(opened).toMatchObject([{}, { session: 'https://pay.test/s/stg_2' }]);
    expect(created.received).toEqual([]);
    created.flow = 'wallet';
    await nextTask();
    expect(opened[1]?.options.signal?.aborted).toBe(true);
    opened[1]?.fail(new LoaderError('timeout', 'Late.'));
    await nextTask();
    expect(opened).toMatchObject([{}, {}, { method: 'startFlow' }]);
    expect(created.received).toEqual([]);
    opened[2]?.settle({ status: 'unknown' });
    await nextTask();
    expect(created.received).toEqual([['settled', { status: 'unknown' }]]);
  });

  it.each<[string, ('ready' | 'processing')[], FlowResult, boolean]>([
    ['reports a payment that was in flight', ['ready', 'processing'], { status: 'unknown' }, true],
    ['reports a payment that completed meanwhile', [], { status: 'completed', detail: undefined }, true],
    ['reports nothing if no payment was in flight', ['ready'], { status: 'canceled', by: 'merchant' }, false],
    ['reports nothing if its frame left with it before Pay', ['ready'], { status: 'unknown' }, false],
    [
      'reports nothing if its frame left with it after a decline',
      ['ready', 'processing', 'ready'],
      { status: 'unknown' },
      false,
    ],
  ])('R-60 %s when it is removed', async (_, events, result, isReported) => {
    const created = await shown();
    for (const type of events) opened[0]?.options.onEvent?.({ type });
    created.remove();
    await nextTask();
    opened[0]?.options.onEvent?.({ type: 'closed' });
    opened[0]?.settle(result);
    await nextTask();
    expect(created.received).toEqual(isReported ? [['settled', result]] : []);
  });

  it('a copy of an open element drops the dead frame and opens its own session', async () => {
    const original = await shown();
    original.innerHTML = '<div data-inline>dead</div><p>Text of the page</p>';
    const copy = original.cloneNode(true) as EmbeddedFlowElement;
    document.body.append(copy);
    copy.session = SESSION;
    await nextTask();
    expect(copy.innerHTML).toBe('<p>Text of the page</p>');
    expect(opened).toHaveLength(2);
    document.body.append(original);
    expect(original.textContent).toContain('dead');
  });

  it('R-52 neither logs the failure of the replaced flow nor opens the next one twice', async () => {
    const created = await shown();
    created.session = 'https://pay.test/s/stg_2';
    await nextTask();
    opened[0]?.fail(new LoaderError('timeout', 'Late.'));
    await nextTask();
    expect(complaints).not.toHaveBeenCalled();
    created.session = 'https://pay.test/s/stg_2';
    await nextTask();
    expect(opened[1]?.options.signal?.aborted).toBe(false);
    opened[1]?.settle({ status: 'canceled', by: 'payer' });
    await nextTask();
    expect(opened).toHaveLength(2);
    expect(created.received).toEqual([['settled', { status: 'canceled', by: 'payer' }]]);
  });

  it('treats changes of session and flow in the same task as one', async () => {
    const created = await shown();
    created.flow = 'wallet';
    created.session = 'https://pay.test/s/stg_2';
    opened[0]?.settle({ status: 'canceled', by: 'merchant' });
    await nextTask();
    expect(opened).toMatchObject([
      { method: 'completePayment' },
      { method: 'startFlow', session: 'https://pay.test/s/stg_2' },
    ]);
  });

  it('closes when it leaves the page or loses its session', async () => {
    const one = await shown();
    one.remove();
    await nextTask();
    expect(opened[0]?.options.signal?.aborted).toBe(true);
    const other = await shown('https://pay.test/s/stg_2');
    other.session = null;
    await nextTask();
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
