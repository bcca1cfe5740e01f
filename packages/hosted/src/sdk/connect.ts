import { type FromPage, type ToPage, INIT, type Init } from '../messages.js';
import { element } from './dom.js';

/** Interval between offers of a port, ms: while the frame is loading, and after that. */
const LOADING_MS = 16;
const LOADED_MS = 200;

/**
 * Creates a frame that can navigate to a session. Without a `src`, Chromium first loads an empty document, which takes
 * milliseconds of the click. With a lazy `src`, it loads nothing if the frame navigates elsewhere in the same task. It
 * requests the `src` only if the frame is moved within the page, so the `src` is an empty page that anyone may frame. Other
 * browsers get no `src`, because WebKit would stay on that page.
 */
export function frameFor(address: URL): HTMLIFrameElement {
  const frame = element('iframe');
  if (/Google/.test(navigator.vendor)) {
    frame.loading = 'lazy';
    frame.src = framingUrl(address);
  }
  return frame;
}

/**
 * Opens a session in a frame and talks to its page. Posts `init` with a port to the exact origin, repeatedly, until the
 * page replies over one of the ports. Nothing listens for messages on the window itself, so forged or replayed messages
 * have no effect.
 */
export class Connection {
  readonly #frame: HTMLIFrameElement;
  readonly #origin: string;
  #onMessage: (message: FromPage) => void;
  #url: string;
  /** The port that the page replied on. */
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
   * Passes the session to a waiting page, in the fragment of that page's address. If the frame starts over, it loads
   * `sessionUrl`.
   */
  give(fragment: string, sessionUrl: string): void {
    this.#navigate(`${this.#url}#${fragment}`);
    this.#url = sessionUrl;
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

  /** Doesn't set `src`: every script that reads the page could see the session's secret in the attribute. */
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
    // A frame that was moved within the page starts over, empty or at its `src`.
    if (this.#frame.contentWindow !== this.#window) return this.#navigate(this.#url);
    if (isEmpty(this.#frame)) return;

    const isFirstLoad = !this.#hasLoaded;
    this.#hasLoaded = true;
    // The page replied before it had loaded.
    if (this.#port && isFirstLoad) return;

    // A second load usually means a new document, which doesn't have the port. Chromium also fires `load` for a changed
    // fragment; then the same document continues.
    clearTimeout(this.#timer);
    this.#offer();
  }
}

/** Whether the frame still has its initial empty document, which has the page's own origin. */
export function isEmpty(frame: HTMLIFrameElement): boolean {
  return frame.contentDocument?.URL === 'about:blank';
}

/** The address of an empty page of the session that any origin may frame. */
export function framingUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}/framing`;
}

/** Posts `init` with a port to the exact origin of the frame's page. Returns the other port, for the reply. */
export function offerPort(
  frame: HTMLIFrameElement,
  origin: string,
  onData: (data: unknown) => void,
): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => onData(data);
  const init: Init = { type: INIT };
  frame.contentWindow?.postMessage(init, origin, [port2]);
  return port1;
}
