// The script-tag build: the package as the global `EmbeddedSessions`, configured by its own tag, and buttons for pages
// that have no script of their own.
import { environmentOf, type SessionRef } from './environment.js';
import { invalid, isLoaderError, LoaderError, quiet } from './error.js';
import type { EmbeddedService, FlowOptions } from './flow.js';
import { createLoader, loadService } from './load.js';
import type { LoaderOptions } from './options.js';
import type { FlowResult } from './sdk.js';

const CONFIGURED =
  'script[data-loader-url],script[data-staging-loader-url],script[data-production-loader-url]';

/** An attribute that is absent or empty gives no option. */
function optionsOf({ dataset }: HTMLScriptElement): LoaderOptions {
  const { environment, loaderUrl, stagingLoaderUrl, productionLoaderUrl, globalName } = dataset;
  const loaderUrls = { staging: stagingLoaderUrl, production: productionLoaderUrl };
  return { environment, loaderUrl, loaderUrls, globalName } as LoaderOptions;
}

/** Loads for every tag of this script on the page: where two of them disagree, that is refused and nothing opens. */
async function service(): Promise<EmbeddedService> {
  let loaded: EmbeddedService | undefined;
  for (const tag of document.querySelectorAll<HTMLScriptElement>(CONFIGURED))
    loaded = await loadService(optionsOf(tag));
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
  if (url.origin !== location.origin) throw invalid('A button asks its own origin for the session.');
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
    if (response.ok) return (await response.json()) as SessionRef;
    throw new Error(`Status ${response.status}.`);
  } catch (error) {
    throw new LoaderError('network_error', "The page's own backend gave no session.", {}, error);
  }
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
    const [sdk, session] = await Promise.all([
      service(),
      sessionOf(button, (embeddedPayment ?? embeddedFlow)!),
    ]);
    detail = await (embeddedPayment === undefined ? sdk.startFlow(session) : sdk.completePayment(session));
  } catch (error) {
    detail = { status: 'failed', error };
    alert.textContent = embeddedError ?? 'This could not be opened. Please try again.';
  }
  button.ariaBusy = button.ariaDisabled = null;
  // The page may have taken the button away meanwhile; the result is told all the same.
  (button.isConnected ? button : document).dispatchEvent(
    new CustomEvent('embedded-session:settled', { bubbles: true, detail }),
  );
}

// Twice on a page, the first stays. On a server nothing is touched.
if (globalThis.document && !Object.hasOwn(globalThis, 'EmbeddedSessions')) {
  Object.assign(globalThis, { EmbeddedSessions: api });
  document.addEventListener('click', (event) => {
    // A page may dispatch a click on the document, which has no `closest`.
    const button = (event.target as Partial<Element>).closest?.<HTMLButtonElement>(
      '[data-embedded-payment],[data-embedded-flow]',
    );
    if (!button || event.defaultPrevented) return;
    event.preventDefault();
    const { form } = button;
    if (button.ariaBusy === 'true') return;
    if (button.formNoValidate || !form || form.noValidate || form.reportValidity()) void press(button);
  });
}
