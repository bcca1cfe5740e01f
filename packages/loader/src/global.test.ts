// The global and the buttons of the script tag. e2e/loader tests them in browsers, with real forms and backends.
import {
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
  type Mock,
} from 'vitest';
import type { ButtonResult } from './global.js';
import { REGISTRY } from './registry.js';

const STAGING = 'https://pay.staging.test/app/embedded.loader.js';
const PRODUCTION = 'https://pay.test/app/embedded.loader.js';
const SESSION = { sessionUrl: 'https://pay.staging.test/s/stg_1', environment: 'staging' };
const page = globalThis as Record<symbol | string, unknown>;

let sdk: { environment: string; completePayment: Mock; startFlow: Mock; warm: Mock };
let requests: { url: string; init: RequestInit }[];
let respond: () => Promise<Response> | Response;
let settled: { detail: ButtonResult; target: EventTarget | null }[];
let listening: [EventTarget, string, EventListener, boolean][];

/** Waits for more tasks than reading a response takes. */
const flushTasks = async () => {
  for (let count = 0; count < 10; count += 1) await new Promise((resolve) => setTimeout(resolve));
};
const tagOf = (data: Record<string, string>) => {
  const tag = document.createElement('script');
  tag.type = 'text/held';
  Object.assign(tag.dataset, data);
  document.body.append(tag);
  return tag;
};
const configured = (more: Record<string, string> = {}) =>
  tagOf({ environment: 'staging', loaderUrl: STAGING, ...more });
/** Runs the script, as its tag does. */
const run = async () => {
  vi.resetModules();
  await import('./global.js');
  return globalThis.EmbeddedSessions;
};
function button(html: string): HTMLButtonElement {
  const place = document.createElement('div');
  place.innerHTML = html;
  document.body.append(place);
  return place.querySelector('button') as HTMLButtonElement;
}
const press = async (created: HTMLElement) => {
  created.click();
  await flushTasks();
};
const fieldsOf = (request?: { init: RequestInit }) =>
  (request?.init.body as URLSearchParams | undefined)?.toString();
const alertOf = (created: HTMLElement) => created.nextElementSibling as HTMLElement;

// Imported here, because on a busy machine the first import can exceed a test's timeout.
beforeAll(() => import('./undeclared.js'));

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  listening = [];
  settled = [];
  requests = [];
  respond = () => Response.json(SESSION);
  delete page['EmbeddedSessions'];
  delete page[REGISTRY];
  const result = { status: 'completed', detail: { Status: 'Succeeded' } };
  sdk = {
    environment: 'staging',
    completePayment: vi.fn(async () => result),
    startFlow: vi.fn(async () => ({ status: 'canceled', by: 'payer' })),
    warm: vi.fn(async () => {}),
  };
  page['Service'] = sdk;
  vi.stubGlobal('fetch', (url: URL, init: RequestInit) => {
    requests.push({ url: url.href, init });
    return Promise.resolve(respond());
  });
  const listen = document.addEventListener.bind(document);
  vi.spyOn(document, 'addEventListener').mockImplementation(
    (type: string, listener: unknown, options?: unknown) => {
      listening.push([document, type, listener as EventListener, options === true]);
      listen(type, listener as EventListener, options === true);
    },
  );
  document.addEventListener('embedded-session:settled', ({ detail, target }) =>
    settled.push({ detail, target }),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const [target, type, listener, capture] of listening)
    target.removeEventListener(type, listener, capture);
  document.body.replaceChildren();
  delete page['Service'];
  delete page['EmbeddedSessions'];
});

describe('the global', () => {
  it('exposes the package, and ignores a second copy', async () => {
    const api = await run();
    expect(Object.keys(api).toSorted()).toEqual([
      'LoaderError',
      'completePayment',
      'createLoader',
      'environmentOf',
      'isLoaderError',
      'loadService',
      'startFlow',
    ]);
    const count = listening.length;
    expect(await run()).toBe(api);
    expect(listening).toHaveLength(count);
  });

  it('is not defined on a server', async () => {
    vi.stubGlobal('document', undefined);
    await run();
    expect(Object.hasOwn(globalThis, 'EmbeddedSessions')).toBe(false);
  });

  it('R-4 opens sessions with its tag’s configuration by both methods', async () => {
    configured();
    const api = await run();
    expect(await api.completePayment(SESSION.sessionUrl)).toMatchObject({ status: 'completed' });
    expect(await api.startFlow(SESSION.sessionUrl, { locale: 'fr' })).toMatchObject({ status: 'canceled' });
    expect(sdk.completePayment).toHaveBeenCalledExactlyOnceWith(SESSION.sessionUrl);
    expect(sdk.startFlow).toHaveBeenCalledExactlyOnceWith(SESSION.sessionUrl, { locale: 'fr' });
  });

  it('explains how to configure it if it has no tag', async () => {
    const api = await run();
    await expect(api.startFlow(SESSION.sessionUrl)).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('Set data-environment') as string,
    });
  });

  it('reads a tag that a tag manager removes or adds later', async () => {
    const early = configured();
    const api = await run();
    early.remove();
    expect(await api.completePayment(SESSION.sessionUrl)).toMatchObject({ status: 'completed' });
    tagOf({ environment: 'production', productionLoaderUrl: PRODUCTION });
    await expect(api.completePayment(SESSION.sessionUrl)).rejects.toMatchObject({
      code: 'environment_mismatch',
    });
  });
});

it('ignores tags without the nonce of its own, because a stranger may have injected them', async () => {
  onTestFinished(() => void delete (document as { currentScript?: unknown }).currentScript);
  const own = Object.assign(document.createElement('script'), { nonce: 'n0nce' });
  Object.defineProperty(document, 'currentScript', { configurable: true, value: own });
  configured();
  const api = await run();
  await expect(api.completePayment(SESSION.sessionUrl)).rejects.toMatchObject({ code: 'invalid_options' });

  configured().nonce = 'n0nce';
  expect(await api.completePayment(SESSION.sessionUrl)).toMatchObject({ status: 'completed' });
});

describe('the attributes of a tag', () => {
  const ALL = { locale: 'es', appearance: { colorScheme: 'dark', accent: '#336699' } };
  it.each<[string, Record<string, string>, object | undefined]>([
    ['no options', {}, undefined],
    ['empty attributes', { locale: '', colorScheme: '', accent: '' }, undefined],
    ['its language', { locale: 'es' }, { locale: 'es' }],
    ['its color scheme', { colorScheme: 'dark' }, { appearance: { colorScheme: 'dark' } }],
    ['its accent', { accent: '#336699' }, { appearance: { accent: '#336699' } }],
    ['all options', { locale: 'es', colorScheme: 'dark', accent: '#336699' }, ALL],
  ])('R-70 pass to the SDK: %s', async (_, data, options) => {
    configured(data);
    await (await run()).completePayment(SESSION.sessionUrl);
    expect(sdk.completePayment.mock.calls).toEqual([
      [SESSION.sessionUrl, ...(options === undefined ? [] : [options])],
    ]);
  });

  it.each<[string, Record<string, string>]>([
    ['one URL', { environment: 'staging', loaderUrl: STAGING }],
    [
      'both, and the environment',
      { environment: 'staging', stagingLoaderUrl: STAGING, productionLoaderUrl: PRODUCTION },
    ],
    [
      'both, and one by its URL',
      { loaderUrl: STAGING, stagingLoaderUrl: STAGING, productionLoaderUrl: PRODUCTION },
    ],
    ['only that of staging', { environment: 'staging', stagingLoaderUrl: STAGING }],
  ])('R-8 permit only sessions of staging: %s', async (_, data) => {
    tagOf(data);
    const api = await run();
    expect(await api.completePayment(SESSION.sessionUrl)).toMatchObject({ status: 'completed' });
    const other = api.completePayment('https://pay.test/s/1');
    const code = 'productionLoaderUrl' in data ? 'environment_mismatch' : 'unknown_session_url';
    await expect(other).rejects.toMatchObject({ code });
  });

  it('R-7 list session prefixes separated by whitespace', async () => {
    configured({
      stagingSessionPrefixes: ' https://a.test/one\n https://b.test ',
      productionSessionPrefixes: 'https://c.test',
    });
    const api = await run();
    for (const url of ['https://a.test/one/s/1', 'https://b.test/s/1'])
      expect(await api.completePayment(url)).toMatchObject({ status: 'completed' });
    await expect(api.completePayment('https://a.test/s/1')).rejects.toMatchObject({
      code: 'unknown_session_url',
    });
    await expect(api.completePayment('https://c.test/s/1')).rejects.toMatchObject({
      code: 'environment_mismatch',
      details: { expected: 'staging', found: 'production' },
    });
  });

  it('R-5 set the name of the global and the timeout', async () => {
    page['Other'] = { ...sdk, completePayment: async () => ({ status: 'expired' }) };
    configured({ globalName: 'Other', timeoutMs: '5000' });
    expect(await (await run()).completePayment(SESSION.sessionUrl)).toEqual({ status: 'expired' });
    delete page['Other'];
    for (const timeoutMs of ['0', 'soon']) {
      delete page['EmbeddedSessions'];
      document.body.replaceChildren();
      configured({ timeoutMs });
      await expect((await run()).completePayment(SESSION.sessionUrl)).rejects.toMatchObject({
        code: 'invalid_options',
        message: expect.stringContaining('timeoutMs') as string,
      });
    }
  });
});

describe('a button', () => {
  it('R-4 requests a session from the merchant’s backend, opens it and reports the result', async () => {
    configured();
    await run();
    const created = button('<button data-embedded-payment="/pay?bill=7"><b>Pay</b></button>');
    let end!: (result: unknown) => void;
    sdk.completePayment.mockImplementation(() => new Promise((resolve) => (end = resolve)));
    await press(created.querySelector('b') as HTMLElement);
    expect(requests).toMatchObject([
      {
        url: `${location.origin}/pay?bill=7`,
        init: { method: 'POST', mode: 'same-origin', headers: { accept: 'application/json' } },
      },
    ]);
    expect(requests[0]?.init.body).toBeInstanceOf(URLSearchParams);
    expect(fieldsOf(requests[0])).toBe('');
    expect(requests[0]?.init.signal?.aborted).toBe(false);
    expect(sdk.completePayment).toHaveBeenCalledExactlyOnceWith(SESSION.sessionUrl, { canRenew: true });
    expect([created.ariaBusy, created.ariaDisabled, created.disabled]).toEqual(['true', 'true', false]);
    await press(created);
    expect(requests).toHaveLength(1);
    end({ status: 'completed', detail: 1 });
    await flushTasks();
    expect(settled).toEqual([{ detail: { status: 'completed', detail: 1 }, target: created }]);
    expect([created.ariaBusy, created.ariaDisabled]).toEqual([null, null]);
    expect([alertOf(created).role, alertOf(created).textContent]).toEqual(['alert', '']);
    await press(created);
    expect(requests).toHaveLength(2);
    expect(document.querySelectorAll('span')).toHaveLength(1);
  });

  it('can be pressed if Turbo or htmx restores it from a copy that was made while it was busy', async () => {
    configured();
    await run();
    const restored = button('<button data-embedded-payment="/pay">Pay</button>');
    restored.ariaBusy = restored.ariaDisabled = 'true';
    await press(restored);
    expect(requests).toHaveLength(1);
    expect([restored.ariaBusy, restored.ariaDisabled]).toEqual([null, null]);
  });

  it('is neither busy nor has failed in the copy that Turbo makes of the page', async () => {
    configured();
    await run();
    const untouched = button('<button data-embedded-payment="/pay">Pay</button>');
    untouched.ariaDisabled = 'true';
    const failed = button('<button data-embedded-payment="/pay">Pay</button>');
    respond = () => new Response('{}', { status: 403 });
    await press(failed);
    expect(alertOf(failed).textContent).not.toBe('');
    const opening = button('<button data-embedded-payment="/pay">Pay</button>');
    respond = () => new Promise(() => {});
    await press(opening);
    document.dispatchEvent(new Event('turbo:before-cache'));
    expect(alertOf(failed).textContent).toBe('');
    expect([opening.ariaBusy, opening.ariaDisabled]).toEqual([null, null]);
    expect(untouched.ariaDisabled).toBe('true');
  });

  it('ignores a second press even if the page has removed its attributes meanwhile', async () => {
    configured();
    await run();
    const created = button('<button data-embedded-payment="/pay">Pay</button>');
    sdk.completePayment.mockImplementation(() => new Promise(() => {}));
    await press(created);
    created.ariaBusy = created.ariaDisabled = null;
    await press(created);
    expect(requests).toHaveLength(1);
  });

  it('R-4 opens the flow that it names', async () => {
    configured();
    await run();
    await press(button('<button data-embedded-flow="/wallet">Wallet</button>'));
    expect(sdk.startFlow).toHaveBeenCalledExactlyOnceWith(SESSION.sessionUrl, { canRenew: true });
    expect(settled).toMatchObject([{ detail: { status: 'canceled', by: 'payer' } }]);
    expect(requests[0]?.url).toBe(`${location.origin}/wallet`);
  });

  it('reports the result even if it was removed while the flow was open', async () => {
    configured();
    await run();
    const created = button('<button data-embedded-payment="/pay">Pay</button>');
    created.click();
    created.remove();
    await flushTasks();
    expect(settled).toMatchObject([{ detail: { status: 'completed' }, target: document }]);
  });

  it('does nothing if the page handled the click or another element was clicked', async () => {
    configured();
    await run();
    const created = button('<button data-embedded-payment="/pay">Pay</button>');
    created.addEventListener('click', (event) => event.preventDefault(), { once: true });
    await press(created);
    await press(button('<button data-embedded="/pay">Pay</button>'));
    expect(requests).toEqual([]);
    const click = new MouseEvent('click', { bubbles: true, cancelable: true, composed: true });
    created.dispatchEvent(click);
    expect(click.defaultPrevented).toBe(true);
    await flushTasks();
    expect(requests).toHaveLength(1);
  });

  it('opens inline in its own shadow root', async () => {
    configured();
    await run();
    const host = document.createElement('div');
    document.body.append(host);
    const root = host.attachShadow({ mode: 'open' });
    root.innerHTML =
      '<p id="place"></p><button data-embedded-payment="/pay" data-embedded-container="#place">Pay</button>';
    await press(root.querySelector('button') as HTMLButtonElement);
    expect(sdk.completePayment.mock.calls[0]?.[1]).toMatchObject({ container: root.querySelector('p') });
    expect(settled).toMatchObject([{ detail: { status: 'completed' } }]);
  });

  it('opens inline in its target, and not in a modal if the target is missing', async () => {
    configured();
    await run();
    const created = button(
      '<p id="place"></p><button data-embedded-payment="/pay" data-embedded-container="#place">Pay</button>',
    );
    await press(created);
    expect(sdk.completePayment.mock.calls[0]?.[1]).toMatchObject({
      container: document.querySelector('#place'),
    });
    created.dataset['embeddedContainer'] = '#nowhere';
    await press(created);
    expect(sdk.completePayment).toHaveBeenCalledOnce();
    expect(settled.at(-1)?.detail).toMatchObject({ status: 'failed', error: { code: 'invalid_options' } });
  });

  it('R-51 requests a new session each time the payer starts again', async () => {
    configured();
    await run();
    sdk.completePayment
      .mockResolvedValueOnce({ status: 'expired', renew: true })
      .mockResolvedValueOnce({ status: 'expired', renew: true })
      .mockResolvedValueOnce({ status: 'expired' });
    await press(button('<button data-embedded-payment="/pay">Pay</button>'));
    await flushTasks();
    expect(requests).toHaveLength(3);
    expect(settled).toMatchObject([{ detail: { status: 'expired' } }]);
    expect(settled[0]?.detail).not.toHaveProperty('renew');
  });
});

describe('a button in a form', () => {
  const FORM =
    '<input name="csrf" value="t&1"><button name="how" value="card" data-embedded-payment="/pay">Pay</button>';

  it('sends the form’s fields and its own without submitting the form', async () => {
    configured();
    await run();
    const created = button(`<form>${FORM}</form>`);
    const submitted = vi.fn();
    created.form?.addEventListener('submit', submitted);
    await press(created);
    expect(fieldsOf(requests[0])).toBe('csrf=t%261&how=card');
    expect(submitted).not.toHaveBeenCalled();
  });

  it('omits its own field if it is not a submit button', async () => {
    configured();
    await run();
    await press(button(`<form>${FORM.replace('<button', '<button type="button"')}</form>`));
    expect(fieldsOf(requests[0])).toBe('csrf=t%261');
  });

  it('sends files like the form', async () => {
    configured();
    await run();
    const created = button(`<form enctype="multipart/form-data">${FORM}</form>`);
    Object.defineProperty(created.form, 'enctype', { value: 'multipart/form-data' });
    await press(created);
    expect(requests[0]?.init.body).toBeInstanceOf(FormData);
  });

  it.each([
    ['that is not valid asks for nothing', '', '', 0],
    ['that is checked by its backend asks', 'novalidate', '', 1],
    ['that is checked by the backend of this button asks', '', 'formnovalidate', 1],
  ])('%s', async (_, ofForm, ofButton, count) => {
    configured();
    await run();
    const created = button(
      `<form ${ofForm}><input name="a" required><button ${ofButton} data-embedded-payment="/pay">Pay</button></form>`,
    );
    await press(created);
    expect(requests).toHaveLength(count);
    await expect.poll(() => created.ariaBusy ?? null).toBeNull();
  });
});

describe('a button whose flow fails to open', () => {
  const fail = async (html = '<button data-embedded-payment="/pay">Pay</button>') => {
    configured();
    await run();
    const created = button(html);
    await press(created);
    const detail = settled.at(-1)?.detail as {
      status: string;
      error: Error & { code: string; details: object };
    };
    return { created, detail, message: alertOf(created).textContent };
  };

  it.each([400, 401, 403, 404, 409, 410, 422, 499])(
    'shows that the backend refused with %i, without suggesting a retry',
    async (status) => {
      respond = () => new Response('{}', { status });
      const { detail, message, created } = await fail();
      expect(detail).toMatchObject({
        status: 'failed',
        error: { code: 'session_failed', details: { status } },
      });
      expect(message).toBe('This could not be opened.');
      expect([created.ariaBusy, created.ariaDisabled]).toEqual([null, null]);
      expect(sdk.completePayment).not.toHaveBeenCalled();
    },
  );

  it.each([408, 425, 429, 500, 502, 503])(
    'R-61 suggests a retry when the backend responds %i',
    async (status) => {
      respond = () => new Response('{}', { status });
      const { detail, message, created } = await fail();
      expect(detail).toMatchObject({
        status: 'failed',
        error: { code: 'network_error', details: { status } },
      });
      expect(detail.error.message).toContain(`POST /pay returned ${status}.`);
      expect(message).toBe('This could not be opened. Please try again.');
      respond = () => Response.json(SESSION);
      await press(created);
      expect(alertOf(created).textContent).toBe('');
      expect(settled.at(-1)?.detail).toMatchObject({ status: 'completed' });
    },
  );

  it('reports network_error if the backend is unreachable or returns no JSON', async () => {
    const cause = new TypeError('Failed to fetch');
    respond = () => Promise.reject(cause);
    const { error } = (await fail()).detail;
    expect(error).toMatchObject({ code: 'network_error', cause });
    expect(error.message).toContain('POST /pay failed: no connection, or a redirect to another origin.');
    respond = () => new Response('<html>');
    const { created } = await fail();
    await press(created);
    expect(settled.at(-1)?.detail).toMatchObject({ status: 'failed', error: { code: 'network_error' } });
  });

  it('names the fields that the backend returned instead of a session', async () => {
    respond = () => Response.json({ error: 'no', more: 1 });
    const { error } = (await fail()).detail;
    expect(error).toMatchObject({ code: 'invalid_options', details: { status: 200 } });
    expect(error.message).toContain('POST /pay returned { error, more } instead of { sessionUrl }.');
  });

  it('names the page that the backend redirected to, such as a login', async () => {
    const redirected = { redirected: { value: true }, url: { value: 'https://shop.test/login?next=1' } };
    respond = () => Object.defineProperties(new Response('<html>'), redirected);
    const { error } = (await fail()).detail;
    expect(error).toMatchObject({ code: 'session_failed' });
    expect(error.message).toContain('POST /pay was redirected to /login and returned no JSON');
  });

  it('R-2 requests sessions only from the page’s own origin', async () => {
    const { detail, message } = await fail(
      '<button data-embedded-payment="https://evil.test/pay">Pay</button>',
    );
    expect(detail).toMatchObject({ error: { code: 'invalid_options' } });
    expect(detail.error.message).toContain('own origin');
    expect(message).toBe('This could not be opened.');
    expect(requests).toEqual([]);
  });

  it('shows the page’s own error message if it has one', async () => {
    respond = () => new Response('', { status: 500 });
    expect(
      (await fail('<button data-embedded-payment="/pay" data-embedded-error="Call us.">Pay</button>'))
        .message,
    ).toBe('Call us.');
  });

  it.each(['csp_blocked', 'environment_mismatch', 'flow_failed', 'network_error'])(
    'logs the reason to the console in one line: %s',
    async (code) => {
      const consoleError = vi.spyOn(console, 'error').mockImplementation(() => {});
      sdk.completePayment.mockRejectedValue({ code, message: 'Add it.' });
      await fail();
      expect(consoleError).toHaveBeenCalledExactlyOnceWith(
        expect.stringMatching(new RegExp(`^embedded-sessions: Add it\\. \\S+#${code}$`)),
      );
    },
  );

  it('logs to the console that the backend returned a page instead of a session', async () => {
    const consoleError = vi.spyOn(console, 'error').mockImplementation(() => {});
    respond = () => new Response('<!doctype html>');
    await fail();
    expect(consoleError).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('POST /pay returned no JSON instead of { sessionUrl }.'),
    );
  });
});

describe('approaching a button', () => {
  it.each(['pointerover', 'focusin'])(
    'by %s warms the SDK, and approaching other elements does not',
    async (type) => {
      configured({ locale: 'es' });
      await run();
      const created = button('<p>near</p><button data-embedded-payment="/pay"><b>Pay</b></button>');
      const approach = (target: Element | null) =>
        target?.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
      approach(document.querySelector('p'));
      await flushTasks();
      expect(sdk.warm).not.toHaveBeenCalled();
      approach(created.querySelector('b'));
      await flushTasks();
      expect(sdk.warm).toHaveBeenCalledExactlyOnceWith({ locale: 'es', appearance: undefined });
      expect(requests).toEqual([]);
    },
  );

  it('does not retry a failed SDK and ignores invalid options silently', async () => {
    page['Service'] = { ...sdk, environment: 'sandbox' };
    configured();
    await run();
    const created = button('<button data-embedded-payment="/pay">Pay</button>');
    const approach = () => created.dispatchEvent(new Event('focusin', { bubbles: true, composed: true }));
    approach();
    await flushTasks();
    page['Service'] = sdk;
    approach();
    await flushTasks();
    expect(sdk.warm).not.toHaveBeenCalled();
    const uncaught = vi.fn();
    addEventListener('error', uncaught);
    tagOf({ environment: 'staging', loaderUrl: 'nowhere' });
    approach();
    await flushTasks();
    removeEventListener('error', uncaught);
    expect(uncaught).not.toHaveBeenCalled();
  });
});
