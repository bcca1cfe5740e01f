import type { FromPage, ToPage } from '../messages.js';
import { element } from './dom.js';
import { framingOf, isEmpty, offerPort } from './offer-port.js';

/** Interval until the frame has loaded. After that, its page is unlikely to start listening. */
const LOADING_MS = 16;
const LOADED_MS = 200;

/**
 * Creates a frame that can navigate to a session. Without `src`, Chromium spends milliseconds of the click on an empty
 * document. A lazily loaded frame that navigates elsewhere in the same task never requests its `src`. If the frame is
 * moved within the page, it does, and gets an empty page that anyone may frame. WebKit would stay there.
 */
export function frameFor(address: URL): HTMLIFrameElement {
  const frame = element('iframe');
  if (/Google/.test(navigator.vendor)) {
    frame.loading = 'lazy';
    frame.src = framingOf(address);
  }
  return frame;
}

/**
 * Opens a session in a frame and talks to its page. Posts `init` with a port to the exact origin, as soon as the frame
 * has a document of its own and again until the page replies over one of the ports. Nothing listens for messages on the
 * window itself, so forged or replayed messages have no effect.
 */
export class Connection {
  readonly #frame: HTMLIFrameElement;
  readonly #origin: string;
  #onMessage: (message: FromPage) => void;
  #url: string;
  /** The port on which the page has replied. */
  #port: MessagePort | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasLoaded = false;
  #window: Window | null = null;

  constructor(frame: HTMLIFrameElement, { origin, href }: URL, onMessage: (message: FromPage) => void) {
    this.#frame = frame;
    this.#origin = origin;
    this.#url = href;
    this.#onMessage = onMessage;
    frame.onload = () => this.#onLoad();
    this.#navigate(this.#url);
    this.#offer();
  }

  /**
   * Gives a waiting page its session by changing the fragment of its address. `next` is where the frame navigates if it
   * is empty again.
   */
  give(fragment: string, next: string): void {
    this.#navigate(`${this.#url}#${fragment}`);
    this.#url = next;
  }

  post(message: ToPage): void {
    this.#port?.postMessage(message);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#frame.onload = null;
    this.#onMessage = () => {};
    this.#port?.close();
    this.#port = undefined;
  }

  /** Not by `src`: an attribute would show the session's secret to every script that reads the page. */
  #navigate(url: string): void {
    this.#window = this.#frame.contentWindow;
    this.#window?.location.replace(url);
  }

  #offer(): void {
    this.#timer = setTimeout(() => this.#offer(), this.#hasLoaded ? LOADED_MS : LOADING_MS);
    if (isEmpty(this.#frame)) return;

    const port: MessagePort = offerPort(this.#frame, this.#origin, (data) => this.#receive(port, data));
  }

  #receive(port: MessagePort, data: unknown): void {
    const message = Object(data) as FromPage;
    if (this.#port !== port) {
      if (message.type !== 'ready') return;
      this.#port?.close();
      this.#port = port;
    }
    clearTimeout(this.#timer);
    this.#onMessage(message);
  }

  #onLoad(): void {
    // A frame that was moved within the page starts again, empty or at its `src`.
    if (this.#frame.contentWindow !== this.#window) return this.#navigate(this.#url);
    if (isEmpty(this.#frame)) return;

    const isFirstLoad = !this.#hasLoaded;
    this.#hasLoaded = true;
    // The page replied before it had loaded.
    if (this.#port && isFirstLoad) return;

    // Another load means another page, which does not have the port. Chromium also reports a changed fragment as a
    // load; then the same page continues.
    clearTimeout(this.#timer);
    this.#offer();
  }
}
