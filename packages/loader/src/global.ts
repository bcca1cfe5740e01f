// The script-tag build: defines the global `EmbeddedSessions`, configured by the attributes of its own tag, and makes
// buttons work on pages without their own script.
import { environmentOf, type SessionRef } from './environment.js';
import { guarded, invalid, isLoaderError, LoaderError, logProblem, type LoaderErrorCode } from './error.js';
import type { EmbeddedService, FlowOptions } from './flow.js';
import { createLoader, loadService, type Loader } from './load.js';
import type { LoaderOptions } from './options.js';
import type { FlowResult } from './sdk.js';

const CONFIGURED =
  'script[data-loader-url],script[data-staging-loader-url],script[data-production-loader-url]';

const listOf = (text: string | undefined) => text?.match(/\S+/g);

/** Reads the attributes of a tag. Ignores empty attributes. */
function optionsOf({ dataset }: HTMLScriptElement): LoaderOptions {
  const { environment, loaderUrl, globalName, locale, colorScheme, accent } = dataset;
  const timeoutMs = dataset['timeoutMs'] ? +dataset['timeoutMs'] : undefined;
  const appearance = { ...(colorScheme && { colorScheme }), ...(accent && { accent }) };
  return {
    environment,
    loaderUrl,
    loaderUrls: { staging: dataset['stagingLoaderUrl'], production: dataset['productionLoaderUrl'] },
    sessionPrefixes: {
      staging: listOf(dataset['stagingSessionPrefixes']),
      production: listOf(dataset['productionSessionPrefixes']),
    },
    globalName,
    timeoutMs,
    locale,
    appearance: colorScheme || accent ? appearance : undefined,
  } as LoaderOptions;
}

/** Loaders by tag, including tags that a tag manager has removed. */
const loaders = new Map<HTMLScriptElement, Loader | undefined>();

/** The nonce of this script's own tag. */
let nonce: string | undefined;

/** Omits tags that the page's policy keeps from running: a stranger may have injected them. */
function findTags(): void {
  for (const tag of document.querySelectorAll<HTMLScriptElement>(CONFIGURED))
    if (!loaders.has(tag) && (!nonce || tag.nonce === nonce)) loaders.set(tag, undefined);
}

/** One loader for each tag. If two of them disagree, loading fails and nothing opens. */
function allLoaders(): Loader[] {
  findTags();
  return [...loaders].map(([tag, created]) => {
    const loader = created ?? createLoader(optionsOf(tag));
    loaders.set(tag, loader);
    return loader;
  });
}

async function loadForTags(): Promise<EmbeddedService> {
  let service: EmbeddedService | undefined;
  for (const loader of allLoaders()) service = await loader.load();
  if (service) return service;
  throw invalid('Set data-environment and data-loader-url on the script tag.');
}

/**
 * The global of the script-tag build. `completePayment` and `startFlow` load the SDK that the script's tag configures.
 *
 * @example
 * const result = await EmbeddedSessions.completePayment(sessionUrl);
 */
export interface EmbeddedSessionsGlobal {
  readonly createLoader: typeof createLoader;
  readonly loadService: typeof loadService;
  readonly environmentOf: typeof environmentOf;
  readonly isLoaderError: typeof isLoaderError;
  readonly LoaderError: typeof LoaderError;
  completePayment(session: SessionRef, options?: FlowOptions): Promise<FlowResult>;
  startFlow(session: SessionRef, options?: FlowOptions): Promise<FlowResult>;
}

const opener =
  (method: 'completePayment' | 'startFlow') =>
  (session: SessionRef, options?: FlowOptions): Promise<FlowResult> =>
    guarded(async () => (await loadForTags())[method](session, options));

const api: EmbeddedSessionsGlobal = {
  createLoader,
  loadService,
  environmentOf,
  isLoaderError,
  LoaderError,
  completePayment: opener('completePayment'),
  startFlow: opener('startFlow'),
};

/**
 * The `detail` of a button's `embedded-session:settled` event.
 *
 * @example
 * addEventListener('embedded-session:settled', ({ detail }) => {
 *   if (detail.status === 'completed') location.assign('/receipt');
 * });
 */
export type ButtonResult = FlowResult | { status: 'failed'; error: unknown };

declare global {
  /** Defined once the script tag has run. */
  // oxlint-disable-next-line no-var -- only a var is a property of window
  var EmbeddedSessions: EmbeddedSessionsGlobal;
  interface GlobalEventHandlersEventMap {
    'embedded-session:settled': CustomEvent<ButtonResult>;
  }
}

const SESSION_MS = 30_000;

/** Request timeout, too early, too many requests. */
const RETRYABLE_STATUSES: readonly number[] = [408, 425, 429];

/** Requests a session from the merchant's own backend with the fields of the form, including its CSRF token. */
async function requestSession(button: HTMLButtonElement, path: string): Promise<SessionRef> {
  const { form } = button;
  const url = new URL(path, document.baseURI);
  if (url.origin !== pageOrigin()) throw invalid('A button requests its session from its own origin.');

  // FormData accepts only a submit button as the submitter.
  const fields = form ? new FormData(form, button.type === 'submit' ? button : null) : new FormData();
  const isMultipart = form?.enctype === 'multipart/form-data';
  try {
    const response = await fetch(url, {
      method: 'POST',
      mode: 'same-origin',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(SESSION_MS),
      body: isMultipart ? fields : new URLSearchParams(fields as unknown as string[][]),
    });
    return await readSession(response, url);
  } catch (error) {
    if (isLoaderError(error)) throw error;

    throw noSession(
      'network_error',
      url,
      'failed: no connection, or a redirect to another origin',
      {},
      error,
    );
  }
}

async function readSession(response: Response, url: URL): Promise<SessionRef> {
  const { ok, status, redirected } = response;
  if (!ok) {
    const isFinal = status < 500 && !RETRYABLE_STATUSES.includes(status);
    throw noSession(isFinal ? 'session_failed' : 'network_error', url, `returned ${status}`, { status });
  }

  // `fetch` follows redirects, such as to a login page.
  const place = redirected ? `was redirected to ${new URL(response.url).pathname} and ` : '';
  const session: unknown = await response.json().catch(() => undefined);
  if (typeof session === 'string' || Object(session).sessionUrl) return session as SessionRef;

  const found = session ? `{ ${Object.keys(session).join(', ')} }` : 'no JSON';
  // Without a redirect, a response that is not JSON may come from a proxy whose server is down.
  const code = session ? 'invalid_options' : 'network_error';
  throw noSession(
    redirected ? 'session_failed' : code,
    url,
    `${place}returned ${found} instead of { sessionUrl }`,
    { status },
  );
}

/** A `srcdoc` page's location has no origin. `globalThis.origin` is the fallback, because a page may redefine it. */
const pageOrigin = () => (location.origin === 'null' ? globalThis.origin : location.origin);

const noSession = (
  code: LoaderErrorCode,
  { pathname }: URL,
  what: string,
  details: { status?: number },
  cause?: unknown,
) => new LoaderError(code, `POST ${pathname} ${what}.`, details, cause);

const BUTTON = '[data-embedded-payment],[data-embedded-flow]';

/** The button that an event belongs to, also in an open shadow root. */
const buttonOf = (event: Event) =>
  event.composedPath().find((each) => (each as Partial<Element>).matches?.(BUTTON)) as
    | HTMLButtonElement
    | undefined;

/** Finds the container of an inline flow in the button's own tree, or else anywhere in the page. */
function containerOf(button: HTMLButtonElement): FlowOptions {
  const { embeddedContainer: selector } = button.dataset;
  if (!selector) return {};

  const root = button.getRootNode() as Document;
  // Null is rejected, so that no modal opens instead.
  return { container: (root.querySelector(selector) ?? document.querySelector(selector))! };
}

const alerts = new WeakMap<Element, HTMLElement>();

/** Returns the element for the button's errors, after emptying it. */
function alertOf(button: HTMLButtonElement): HTMLElement {
  const alert = alerts.get(button) ?? document.createElement('span');
  alerts.set(button, alert);
  alert.role = 'alert';
  alert.textContent = '';
  button.after(alert);
  return alert;
}

/** Clears busy and error states, because Turbo shows this copy of the page after Back. */
function beforeCopy(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>(BUTTON)) {
    if (!alerts.has(button)) continue;
    alertOf(button);
    button.ariaBusy = button.ariaDisabled = null;
  }
}

/** Opens the button's flow, with a new session each time the payer starts again. */
async function openFor(button: HTMLButtonElement): Promise<FlowResult> {
  const { embeddedPayment, embeddedFlow } = button.dataset;
  const path = (embeddedPayment ?? embeddedFlow)!;
  const method = embeddedPayment === undefined ? 'startFlow' : 'completePayment';
  const options = containerOf(button);

  for (;;) {
    const [service, session] = await Promise.all([loadForTags(), requestSession(button, path)]);
    const result = await service[method](session, { ...options, canRenew: true });
    if (!('renew' in result)) return result;
  }
}

/** Not read from attributes, which Turbo and htmx restore from copies of the page, and which a morph removes. */
const busy = new WeakSet<Element>();

async function press(button: HTMLButtonElement): Promise<void> {
  busy.add(button);
  // Don't set `disabled`, which would remove the focus.
  button.ariaBusy = button.ariaDisabled = 'true';
  const alert = alertOf(button);
  let detail: ButtonResult;

  try {
    detail = await guarded(() => openFor(button));
  } catch (error) {
    detail = { status: 'failed', error };
    const { message, retryable } = error as LoaderError;
    const hint = retryable ? ' Please try again.' : '';
    alert.textContent = button.dataset['embeddedError'] ?? `This could not be opened.${hint}`;
    logProblem(message);
  }

  busy.delete(button);
  button.ariaBusy = button.ariaDisabled = null;
  // The page may have removed the button.
  const target = button.isConnected ? button : document;
  target.dispatchEvent(
    new CustomEvent('embedded-session:settled', { bubbles: true, composed: true, detail }),
  );
}

/** Prepares a flow when the payer points at or focuses a button. */
function warm(event: Event): void {
  if (!buttonOf(event)) return;

  try {
    for (const loader of allLoaders()) if (loader.state !== 'failed') void loader.warm();
  } catch {
    // Invalid options are reported when the button is pressed.
  }
}

function onClick(event: MouseEvent): void {
  const button = buttonOf(event);
  if (!button || event.defaultPrevented) return;

  event.preventDefault();
  if (busy.has(button)) return;

  const { form } = button;
  if (button.formNoValidate || !form || form.noValidate || form.reportValidity()) void press(button);
}

// Only the first script on a page has an effect. Does nothing on a server.
if (globalThis.document && !Object.hasOwn(globalThis, 'EmbeddedSessions')) {
  Object.assign(globalThis, { EmbeddedSessions: api });
  nonce = document.currentScript?.nonce;
  findTags();
  // Capture the click, because the page may stop it above the button. Handle it at the button, after its own listeners.
  const listen = (event: Event) => buttonOf(event)?.addEventListener('click', onClick, { once: true });
  document.addEventListener('click', listen, true);
  for (const type of ['pointerover', 'focusin']) document.addEventListener(type, warm);
  document.addEventListener('turbo:before-cache', beforeCopy);
}
