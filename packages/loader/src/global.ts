// The script-tag build: the package as the global `EmbeddedSessions`, configured by its own tag, and buttons for pages
// that have no script of their own.
import { environmentOf, type SessionRef } from './environment.js';
import { invalid, isLoaderError, LoaderError, quiet, tellMaker, type LoaderErrorCode } from './error.js';
import type { EmbeddedService, FlowOptions } from './flow.js';
import { createLoader, loadService, type Loader } from './load.js';
import type { LoaderOptions } from './options.js';
import type { FlowResult } from './sdk.js';

const CONFIGURED =
  'script[data-loader-url],script[data-staging-loader-url],script[data-production-loader-url]';

/** Addresses, separated by spaces. */
const listOf = (text: string | undefined) => text?.split(/\s+/).filter(Boolean);

/** An attribute that is absent or empty gives no option. */
function optionsOf({ dataset }: HTMLScriptElement): LoaderOptions {
  const { environment, loaderUrl, globalName, locale, colorScheme, accent } = dataset;
  return {
    environment,
    loaderUrl,
    loaderUrls: { staging: dataset['stagingLoaderUrl'], production: dataset['productionLoaderUrl'] },
    sessionPrefixes: {
      staging: listOf(dataset['stagingSessionPrefixes']),
      production: listOf(dataset['productionSessionPrefixes']),
    },
    globalName,
    timeoutMs: dataset['timeoutMs'] ? +dataset['timeoutMs'] : undefined,
    locale,
    appearance:
      colorScheme || accent ? { ...(colorScheme && { colorScheme }), ...(accent && { accent }) } : undefined,
  } as LoaderOptions;
}

/** By the tags that are or were on the page: a tag manager takes its own away. */
const loaders = new Map<HTMLScriptElement, Loader | undefined>();
function findTags(): void {
  for (const tag of document.querySelectorAll<HTMLScriptElement>(CONFIGURED))
    if (!loaders.has(tag)) loaders.set(tag, undefined);
}

/** Every tag's: where two of them disagree, loading is refused and nothing opens. */
function allLoaders(): Loader[] {
  findTags();
  return [...loaders].map(([tag, made]) => {
    const loader = made ?? createLoader(optionsOf(tag));
    loaders.set(tag, loader);
    return loader;
  });
}

async function service(): Promise<EmbeddedService> {
  let loaded: EmbeddedService | undefined;
  for (const loader of allLoaders()) loaded = await loader.load();
  if (loaded) return loaded;
  throw invalid('Give the script tag data-environment and data-loader-url.');
}

const door =
  (method: 'completePayment' | 'startFlow') =>
  (session: SessionRef, options?: FlowOptions): Promise<FlowResult> =>
    quiet(async () => (await service())[method](session, options));

/**
 * The global of the script-tag build. The two doors load what the script's own tag is configured for.
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

const api: EmbeddedSessionsGlobal = {
  createLoader,
  loadService,
  environmentOf,
  isLoaderError,
  LoaderError,
  completePayment: door('completePayment'),
  startFlow: door('startFlow'),
};

/**
 * What the event `embedded-session:settled` of a button carries as its `detail`.
 *
 * @example
 * addEventListener('embedded-session:settled', ({ detail }) => {
 *   if (detail.status === 'completed') location.assign('/receipt');
 * });
 */
export type ButtonResult = FlowResult | { status: 'failed'; error: unknown };

declare global {
  /** Where the script tag has run. */
  // oxlint-disable-next-line no-var -- only a var is a property of window
  var EmbeddedSessions: EmbeddedSessionsGlobal;
  interface GlobalEventHandlersEventMap {
    'embedded-session:settled': CustomEvent<ButtonResult>;
  }
}

/** How long the merchant's backend may take: a button must not stay busy for ever. */
const SESSION_MS = 30_000;

/** Asks the merchant's own backend for the session: the form's fields go with it, its CSRF token among them. */
async function sessionOf(button: HTMLButtonElement, path: string): Promise<SessionRef> {
  const { form } = button;
  const url = new URL(path, document.baseURI);
  // A page in a `srcdoc` has an origin, and its `location` has none.
  if (url.origin !== (globalThis.origin ?? location.origin))
    throw invalid('A button asks its own origin for the session.');
  // Only a button that submits may stand as the submitter: another kind throws.
  const fields = form ? new FormData(form, button.type === 'submit' ? button : null) : new FormData();
  try {
    const response = await fetch(url, {
      method: 'POST',
      // A redirect to another origin fails too.
      mode: 'same-origin',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(SESSION_MS),
      body:
        form?.enctype === 'multipart/form-data'
          ? fields
          : new URLSearchParams(fields as unknown as string[][]),
    });
    const { ok, status } = response;
    if (ok) return (await response.json()) as SessionRef;
    // What is refused for good is told apart from what may pass.
    const isRefused = status < 500 && !PASSING.includes(status);
    throw noSession(isRefused ? 'session_failed' : 'network_error', { status });
  } catch (error) {
    throw isLoaderError(error) ? error : noSession('network_error', {}, error);
  }
}

/** Too slow, too early, too often. */
const PASSING: readonly number[] = [408, 425, 429];

const noSession = (code: LoaderErrorCode, details: { status?: number }, cause?: unknown) =>
  new LoaderError(code, "The page's own backend gave no session.", details, cause);

const BUTTON = '[data-embedded-payment],[data-embedded-flow]';

/** The button that an event is about, in an open shadow root too. */
const buttonOf = (event: Event) =>
  event.composedPath().find((each) => (each as Partial<Element>).matches?.(BUTTON)) as
    | HTMLButtonElement
    | undefined;

/** Where a button's flow is to be shown inline: next to it in its own tree, or anywhere in the page. */
function containerOf(button: HTMLButtonElement): FlowOptions {
  const { embeddedContainer: selector } = button.dataset;
  if (!selector) return {};
  const root = button.getRootNode() as Document;
  // One that is not there is refused, rather than to open a modal.
  return { container: (root.querySelector(selector) ?? document.querySelector(selector))! };
}

const alerts = new WeakMap<Element, HTMLElement>();

async function press(button: HTMLButtonElement): Promise<void> {
  const { embeddedPayment, embeddedFlow, embeddedError } = button.dataset;
  // Not `disabled`: that would take the focus away from it.
  button.ariaBusy = button.ariaDisabled = 'true';
  const alert = alerts.get(button) ?? document.createElement('span');
  alerts.set(button, alert);
  alert.role = 'alert';
  alert.textContent = '';
  button.after(alert);
  let detail: ButtonResult;
  try {
    detail = await quiet(async () => {
      const path = (embeddedPayment ?? embeddedFlow)!;
      const options = containerOf(button);
      const method = embeddedPayment === undefined ? 'startFlow' : 'completePayment';
      for (;;) {
        const [sdk, session] = await Promise.all([service(), sessionOf(button, path)]);
        const result = await sdk[method](session, { ...options, canRenew: true });
        if (!('renew' in result)) return result;
      }
    });
  } catch (error) {
    detail = { status: 'failed', error };
    const { message, retryable } = error as LoaderError;
    alert.textContent = embeddedError ?? `This could not be opened.${retryable ? ' Please try again.' : ''}`;
    tellMaker(message);
  }
  button.ariaBusy = button.ariaDisabled = null;
  // The page may have taken the button away meanwhile; the result is told all the same.
  (button.isConnected ? button : document).dispatchEvent(
    new CustomEvent('embedded-session:settled', { bubbles: true, composed: true, detail }),
  );
}

/** A payer who comes near a button is likely to press it. */
function warm(event: Event): void {
  if (!buttonOf(event)) return;
  try {
    for (const loader of allLoaders()) if (loader.state !== 'failed') void loader.warm();
  } catch {
    // Options that are refused are told when the button is pressed.
  }
}

function onClick(event: MouseEvent): void {
  const button = buttonOf(event);
  if (!button || event.defaultPrevented) return;
  event.preventDefault();
  const { form } = button;
  if (button.ariaBusy === 'true') return;
  if (button.formNoValidate || !form || form.noValidate || form.reportValidity()) void press(button);
}

// Twice on a page, the first stays. On a server nothing is touched.
if (globalThis.document && !Object.hasOwn(globalThis, 'EmbeddedSessions')) {
  Object.assign(globalThis, { EmbeddedSessions: api });
  findTags();
  document.addEventListener('click', onClick);
  for (const type of ['pointerover', 'focusin']) document.addEventListener(type, warm);
}
