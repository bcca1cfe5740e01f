import { parseFromPage, type FromPage, type ToPage } from '../messages.js';
import { element } from './dom.js';
import { framingOf, isEmpty, offerPort } from './offer-port.js';

export interface Connection {
  /**
   * Has a page that waits show its session, by a change of its address's fragment; `next` is where the frame goes when it
   * is empty again.
   */
  give(fragment: string, next: string): void;
  post(message: ToPage): void;
  end(): void;
}

/** Until it has loaded a page may listen any moment; later it is likely that none will answer. */
const FIRST_AGAIN_MS = 16;
const LAST_AGAIN_MS = 1000;

/**
 * A frame to be sent to a session. Without `src` Chromium gives it an empty document, script and all, within the call
 * that adds it to the page: milliseconds of a click. One that loads lazily, and is sent on in the same task, never asks
 * for its `src`; moved within the page it does, and finds a page that anybody may frame and that shows nothing. WebKit
 * would stay there.
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
 * Opens a session in a frame and speaks with its page: posts `init` with a port to the exact origin, as soon as the frame has a document
 * of its own and then again until the page answers over one of the ports. Nothing that is posted to the window is ever
 * listened to, so a forged or replayed message has nowhere to arrive.
 */
export function connect(
  frame: HTMLIFrameElement,
  { origin, href: url }: URL,
  onMessage: (message: FromPage) => void,
): Connection {
  let port: MessagePort | undefined;
  let offered: MessagePort[] = [];
  let again = FIRST_AGAIN_MS;
  let timer: ReturnType<typeof setTimeout>;
  let hasLoaded = false;
  let at: Window | null;

  /** Ends the offers that nobody has taken. */
  const forget = (): void => {
    clearTimeout(timer);
    for (const other of offered) other.close();
    offered = [];
  };
  const offer = (): void => {
    timer = setTimeout(offer, again);
    if (isEmpty(frame)) return;
    if (hasLoaded) again = Math.min(LAST_AGAIN_MS, again * 2);
    const mine = offerPort(frame, origin, (data) => {
      const message = parseFromPage(data);
      if (message === null) return;
      if (port !== mine) {
        if (message.type !== 'ready') return;
        offered = offered.filter((other) => other !== mine);
        port?.close();
        port = mine;
      }
      forget();
      onMessage(message);
    });
    offered.push(mine);
  };
  // Not by `src`: an attribute would show the session's secret to every script that looks at the page.
  const go = (to = url): void => {
    at = frame.contentWindow;
    at?.location.replace(to);
  };
  frame.onload = () => {
    // Moved within the page, a frame begins anew: empty, or at its `src`.
    if (frame.contentWindow !== at) return go();
    if (isEmpty(frame)) return;
    if (port && !hasLoaded) {
      // It answered before it had loaded; the next one is another.
      hasLoaded = true;
      return;
    }
    // Loaded once more, the frame holds a new page that has never heard of the port; or, as Chromium calls a change of
    // fragment a load too, the same one, which goes on speaking.
    hasLoaded = true;
    clearTimeout(timer);
    again = FIRST_AGAIN_MS;
    offer();
  };
  go();
  offer();
  return {
    give: (fragment, next) => {
      go(`${url}#${fragment}`);
      url = next;
    },
    post: (message) => port?.postMessage(message),
    end: () => {
      frame.onload = null;
      forget();
      port?.close();
      port = undefined;
    },
  };
}
