import type { FromPage, ToPage } from '../messages.js';
import { element } from './dom.js';
import { framingOf, isEmpty, offerPort } from './offer-port.js';

/** Until it has loaded, a page may start to listen at any moment. Later it probably never will. */
const LOADING_MS = 16;
const LOADED_MS = 200;

/**
 * Creates a frame that can be sent to a session. Without `src` Chromium spends milliseconds of the click on an empty
 * document. A frame that loads lazily, and is sent elsewhere in the same task, never requests its `src`. If it is moved
 * within the page it does, and finds a page that anybody may frame and that shows nothing. WebKit would stay there.
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
 * Opens a session in a frame and talks to its page. Posts `init` with a port to the exact origin, as soon as the frame has
 * a document of its own and again until the page answers over one of the ports. There is no listener for messages on the
 * window itself, so a forged or replayed message has no effect.
 */
export class Connection {
  readonly #frame: HTMLIFrameElement;
  readonly #origin: string;
  #onMessage: (message: FromPage) => void;
  #url: string;
  /** The port on which the page has answered. */
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
   * Gives a waiting page its session by changing the fragment of its address. `next` is where the frame goes if it is empty
   * again.
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
    // The page answered before it had loaded.
    if (this.#port && isFirstLoad) return;

    // Another load means another page, which does not know the port. Chromium also reports a changed fragment as a load:
    // then the same page goes on talking.
    clearTimeout(this.#timer);
    this.#offer();
  }
}
