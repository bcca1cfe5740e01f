import { attempt } from './attempt.js';
import { urlOf, type SessionRef } from './environment.js';
import { invalid, logProblem, type LoaderError } from './error.js';
import type { EmbeddedService } from './flow.js';
import type { Loader } from './load.js';
import type { Flow, FlowResult } from './sdk.js';

/** The method that opens each flow. */
const METHOD: Record<Flow, keyof EmbeddedService & `${'complete' | 'start'}${string}`> = {
  payment: 'completePayment',
  autopay: 'startFlow',
  wallet: 'startFlow',
  paperless: 'startFlow',
  'schedule-payment': 'startFlow',
  'scheduled-payments': 'startFlow',
  notifications: 'startFlow',
};

/**
 * The events of an `<embedded-flow>`, in addition to those of every element.
 *
 * @example
 * element.addEventListener('error', ({ detail }) => console.log(detail.code, detail.retryable));
 */
export interface EmbeddedFlowElementEventMap extends Omit<HTMLElementEventMap, 'error'> {
  /** How the flow ended. */
  settled: CustomEvent<FlowResult>;
  /** Why the flow did not open, or failed. */
  error: CustomEvent<LoaderError>;
}

type Listen = <Type extends keyof EmbeddedFlowElementEventMap>(
  type: Type,
  listener: (this: EmbeddedFlowElement, event: EmbeddedFlowElementEventMap[Type]) => unknown,
  options?: boolean | AddEventListenerOptions,
) => void;

/**
 * `<embedded-flow>` shows an inline flow. It opens once it is in the page and has a session, and closes when it is removed
 * or gets a session with another URL. After a restore from the back-forward cache it opens again if the outcome is
 * unknown. After a `retryable` error, setting the same session opens it again. The `session` attribute is removed when
 * it is read, because anyone with a session's URL can open it.
 */
export interface EmbeddedFlowElement extends HTMLElement {
  /** One of the seven flows. Default `payment`. */
  flow: Flow;
  /** The response of the merchant's backend, or null until it arrives. */
  session: SessionRef | null;
  /** BCP 47. Default: the loader's locale, then the payer's browser. */
  locale: string;
  addEventListener: Listen & HTMLElement['addEventListener'];
  removeEventListener: Listen & HTMLElement['removeEventListener'];
}

declare global {
  interface HTMLElementTagNameMap {
    'embedded-flow': EmbeddedFlowElement;
  }
  interface GlobalEventHandlersEventMap {
    /** How the flow of an `<embedded-flow>` ended. */
    settled: CustomEvent<FlowResult>;
  }
}

/** Any rule of the page overrides `:host` rules, so `hidden` and classes work. */
const STYLE = ':host{display:block}:host([hidden]){display:none}';

/**
 * Registers `<embedded-flow flow session locale>` for pages of any framework or none. It dispatches `settled` with a
 * `FlowResult` and `error` with a `LoaderError` as `detail`; neither bubbles. Does nothing on a server. Later calls have no
 * effect.
 *
 * @example
 * defineEmbeddedFlow(createLoader({ environment: 'staging', loaderUrl }));
 * const element = document.querySelector('embedded-flow')!;
 * element.addEventListener('settled', ({ detail }) => console.log(detail.status));
 * element.session = await (await fetch('/pay', { method: 'POST' })).json();
 */
export function defineEmbeddedFlow(loader: Loader): void {
  if (!globalThis.customElements || customElements.get('embedded-flow')) return;

  // Defined here, because a server has no HTMLElement to extend.
  class FlowElement extends HTMLElement implements EmbeddedFlowElement {
    static readonly observedAttributes = ['session', 'flow'];
    readonly #shown = new ElementFlows(this, loader);
    #session: SessionRef | null = null;

    get session(): SessionRef | null {
      return this.#session;
    }
    set session(session: SessionRef | null) {
      this.#session = session || null;
      this.#shown.update();
    }
    get flow(): EmbeddedFlowElement['flow'] {
      return (this.getAttribute('flow') || 'payment') as Flow;
    }
    set flow(flow: Flow) {
      this.setAttribute('flow', flow);
    }
    get locale(): string {
      return this.getAttribute('locale') ?? '';
    }
    set locale(locale: string) {
      this.setAttribute('locale', locale);
    }

    connectedCallback(): void {
      this.#takeEarlyProperties();
      attempt(() => addStyle(this));
      this.#shown.removeCopied();
      addEventListener('pageshow', this.#onPageShow);
      this.#shown.update();
    }

    disconnectedCallback(): void {
      removeEventListener('pageshow', this.#onPageShow);
      this.#shown.update();
    }

    attributeChangedCallback(name: string, _: string | null, value: string | null): void {
      if (name === 'flow') return this.#shown.update();
      if (value === null) return;
      this.session = value;
      this.removeAttribute('session');
    }

    /** If a framework sets the property before the element is defined, the property hides the accessor. */
    #takeEarlyProperties(): void {
      for (const name of ['session', 'flow', 'locale'] as const) {
        if (!Object.hasOwn(this, name)) continue;
        const value = this[name];
        delete (this as Partial<EmbeddedFlowElement>)[name];
        Object.assign(this, { [name]: value });
      }
    }

    #onPageShow = ({ persisted }: PageTransitionEvent): void => {
      if (persisted) void this.#shown.reopenIfUnknown();
    };
  }
  customElements.define('embedded-flow', FlowElement);
}

function addStyle(element: HTMLElement): void {
  if (element.shadowRoot) return;

  const root = element.attachShadow({ mode: 'open' });
  // A constructed style sheet works under a Content-Security-Policy that forbids inline styles.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  root.append(document.createElement('slot'));
}

interface ShownFlow {
  url: unknown;
  flow: string;
  abort: AbortController;
  isUnknown?: boolean;
}

/** The flows of one element: the visible one, and the previous one while it closes. */
class ElementFlows {
  readonly #element: EmbeddedFlowElement;
  readonly #loader: Loader;
  #shown: ShownFlow | undefined;
  #previous: Promise<void> | undefined;

  constructor(element: EmbeddedFlowElement, loader: Loader) {
    this.#element = element;
    this.#loader = loader;
  }

  /** Opens or closes the flow to match the element, once all changes of the current task are done. */
  update(): void {
    queueMicrotask(() => {
      const { isConnected, session, flow } = this.#element;
      const shown = this.#shown;
      if (shown && isConnected && shown.url === attempt(() => urlOf(session)) && shown.flow === flow) return;

      shown?.abort.abort();
      this.#shown = undefined;
      if (isConnected && session) this.#previous = this.#open(session, this.#previous);
    });
  }

  /** Removes the frame of a copy, as `cloneNode` and Turbo make them: nothing connects it with a flow. */
  removeCopied(): void {
    if (this.#shown) return;
    for (const copy of this.#element.querySelectorAll(':scope > [data-inline]')) copy.remove();
  }

  /** Opens the session again after a restore from the back-forward cache. */
  async reopenIfUnknown(): Promise<void> {
    await this.#previous;
    if (!this.#shown?.isUnknown) return;
    this.#shown = undefined;
    this.update();
  }

  async #open(session: SessionRef, previous: Promise<void> | undefined): Promise<void> {
    const element = this.#element;
    const { flow, locale } = element;
    const abort = new AbortController();
    const { signal } = abort;
    const shown: ShownFlow = { url: attempt(() => urlOf(session)), flow, abort };
    this.#shown = shown;

    const dispatch = (type: string, detail: unknown) =>
      element.dispatchEvent(new CustomEvent(type, { detail }));
    const setIdle = () => {
      if (!this.#shown || this.#shown === shown) element.ariaBusy = null;
    };
    let isPaying = false;

    element.ariaBusy = 'true';
    try {
      if (!Object.hasOwn(METHOD, flow)) throw invalid(`flow="${flow}" is not a flow.`);
      if (session === '[object Object]')
        throw invalid('session became an attribute: call defineEmbeddedFlow before the page is rendered.');

      const service = await this.#loader.load({ signal });
      await previous;

      const result = await service[METHOD[flow]](session, {
        container: element,
        signal,
        onEvent: ({ type }) => {
          if (type === 'ready') setIdle();
          if (type === 'ready' || type === 'processing') isPaying = type === 'processing';
        },
        ...(locale && { locale }),
      });
      shown.isUnknown = result.status === 'unknown';
      // If aborted, the element shows another flow or none, and only a payment is still of interest. `unknown` alone says
      // little, because a frame that left with its element can't be asked.
      if (!signal.aborted || isPaying || result.status === 'completed') dispatch('settled', result);
    } catch (error) {
      const { retryable, message } = error as LoaderError;
      if (retryable && this.#shown === shown) this.#shown = undefined;
      if (!signal.aborted) {
        logProblem(message);
        dispatch('error', error);
      }
    }
    setIdle();
  }
}
