import type { SessionRef } from './environment.js';
import { invalid, tellMaker, type LoaderError } from './error.js';
import type { EmbeddedService } from './flow.js';
import type { Loader } from './load.js';
import type { Flow, FlowResult } from './sdk.js';

/** The method of the SDK that opens each flow, spelt as on every wire. */
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
 * What an `<embedded-flow>` tells beside what every element does.
 *
 * @example
 * element.addEventListener('error', ({ detail }) => console.log(detail.code, detail.retryable));
 */
export interface EmbeddedFlowElementEventMap extends Omit<HTMLElementEventMap, 'error'> {
  /** How the flow ended. */
  settled: CustomEvent<FlowResult>;
  /** Why it did not open, or broke off. */
  error: CustomEvent<LoaderError>;
}

type Listen = <Type extends keyof EmbeddedFlowElementEventMap>(
  type: Type,
  listener: (this: EmbeddedFlowElement, event: EmbeddedFlowElementEventMap[Type]) => unknown,
  options?: boolean | AddEventListenerOptions,
) => void;

/**
 * `<embedded-flow>`: an inline flow, as an element of the page. It opens when it is in the page and has a session, and
 * closes when it leaves the page or gets a session of another URL. Out of the back-forward cache it opens anew where nobody
 * saw how it ended. After an error that is `retryable` the same session
 * opens anew when it is given again. As an attribute `session` is taken off at once: a session's URL opens it.
 */
export interface EmbeddedFlowElement extends HTMLElement {
  /** Which of the seven; default `payment`. */
  flow: Flow;
  /** What the merchant's backend answered; null: not yet. */
  session: SessionRef | null;
  /** BCP 47; empty: the loader's, else the payer's browser decides. */
  locale: string;
  addEventListener: Listen & HTMLElement['addEventListener'];
  removeEventListener: Listen & HTMLElement['removeEventListener'];
}

interface Shown {
  url: unknown;
  flow: string;
  abort: AbortController;
  /** Nobody saw how it ended. */
  isUnknown?: boolean;
}

/** A framework may give an object of its own with each render: what is shown is known by its address. */
const urlOf = (session: SessionRef | null) => (typeof session === 'string' ? session : session?.sessionUrl);

declare global {
  interface HTMLElementTagNameMap {
    'embedded-flow': EmbeddedFlowElement;
  }
  interface GlobalEventHandlersEventMap {
    /** How the flow of an `<embedded-flow>` ended. */
    settled: CustomEvent<FlowResult>;
  }
}

/**
 * Registers `<embedded-flow flow session locale>`, for pages of any framework or of none. It tells `settled`, whose
 * `detail` is the result, and `error`, whose `detail` is a `LoaderError`; neither bubbles. Does nothing on a server;
 * the first registration stays.
 *
 * @example
 * defineEmbeddedFlow(createLoader({ environment: 'staging', loaderUrl }));
 * const element = document.querySelector('embedded-flow')!;
 * element.addEventListener('settled', ({ detail }) => console.log(detail.status));
 * element.session = await (await fetch('/pay', { method: 'POST' })).json();
 */
export function defineEmbeddedFlow(loader: Loader): void {
  if (!globalThis.customElements || customElements.get('embedded-flow')) return;
  customElements.define(
    'embedded-flow',
    class extends HTMLElement implements EmbeddedFlowElement {
      static readonly observedAttributes = ['session', 'flow'];
      #session: SessionRef | null = null;
      #open: Shown | undefined;
      /** Of the flow before, which may be leaving still. */
      #before: Promise<void> | undefined;

      get session(): SessionRef | null {
        return this.#session;
      }
      set session(session: SessionRef | null) {
        this.#session = session || null;
        this.#changed();
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
        // What a framework set before the class was known hides the accessor.
        for (const name of ['session', 'flow', 'locale'] as const)
          if (Object.hasOwn(this, name)) {
            const value = this[name];
            delete (this as Partial<EmbeddedFlowElement>)[name];
            Object.assign(this, { [name]: value });
          }
        if (!this.style.display) this.style.display = 'block';
        addEventListener('pageshow', this.#onPageShow);
        this.#changed();
      }
      disconnectedCallback(): void {
        removeEventListener('pageshow', this.#onPageShow);
        this.#changed();
      }
      attributeChangedCallback(name: string, _: string | null, value: string | null): void {
        if (name === 'flow') return this.#changed();
        if (value === null) return;
        this.session = value;
        this.removeAttribute('session');
      }

      /** Out of the back-forward cache, where nobody saw how it ended, it is there again as after a reload. */
      async #showAgain(): Promise<void> {
        await this.#before;
        if (!this.#open?.isUnknown) return;
        this.#open = undefined;
        this.#changed();
      }
      #onPageShow = ({ persisted }: PageTransitionEvent): unknown => persisted && this.#showAgain();

      /** All that a framework changes in one go is one change; an element that is only moved stays open. */
      #changed(): void {
        queueMicrotask(() => {
          const { session, flow } = this;
          const open = this.#open;
          if (open && this.isConnected && open.url === urlOf(session) && open.flow === flow) return;
          open?.abort.abort();
          this.#open = undefined;
          if (this.isConnected && session) this.#before = this.#start(session, this.#before);
        });
      }

      async #start(session: SessionRef, before: Promise<void> | undefined): Promise<void> {
        const abort = new AbortController();
        const { signal } = abort;
        const { flow, locale } = this;
        const mine: Shown = { url: urlOf(session), flow, abort };
        this.#open = mine;
        const tell = (type: string, detail: unknown) => {
          // Of a flow that this element shows no more nobody here is told.
          if (!signal.aborted) this.dispatchEvent(new CustomEvent(type, { detail }));
        };
        this.ariaBusy = 'true';
        const ready = () => (this.ariaBusy = null);
        try {
          if (!Object.hasOwn(METHOD, flow)) throw invalid(`flow="${flow}" is none of the seven.`);
          const service = await loader.load({ signal });
          await before;
          const result = await service[METHOD[flow]](session, {
            container: this,
            expectedFlow: flow,
            signal,
            onEvent: ({ type }) => type === 'ready' && ready(),
            ...(locale && { locale }),
          });
          mine.isUnknown = result.status === 'unknown';
          tell('settled', result);
        } catch (error) {
          const { retryable, message } = error as LoaderError;
          if (retryable && this.#open === mine) this.#open = undefined;
          if (!signal.aborted) tellMaker(message);
          tell('error', error);
        }
        ready();
      }
    },
  );
}
