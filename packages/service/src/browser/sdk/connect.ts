import { INIT, parseFromPage, type FromPage, type Init, type ToPage } from '../messages.js';

export interface Connection {
  post(message: ToPage): void;
  end(): void;
}

const AGAIN_MS = 500;

/**
 * Speaks with the page in a frame: posts `init` with a port to the exact origin, each time the frame has loaded and
 * then again until the page answers over one of the ports. Nothing that is posted to the window is ever listened to,
 * so a forged or replayed message has nowhere to arrive.
 */
export function connect(
  frame: HTMLIFrameElement,
  origin: string,
  onMessage: (message: FromPage) => void,
): Connection {
  let port: MessagePort | undefined;
  let offered: MessagePort[] = [];
  let timer: ReturnType<typeof setTimeout>;

  const forget = (): void => {
    clearTimeout(timer);
    for (const other of offered) other.close();
    offered = [];
    port?.close();
    port = undefined;
  };
  const offer = (): void => {
    const { port1, port2 } = new MessageChannel();
    offered.push(port1);
    port1.onmessage = ({ data }) => {
      const message = parseFromPage(data);
      if (message === null) return;
      if (port === undefined) {
        if (message.type !== 'ready') return;
        offered = offered.filter((other) => other !== port1);
        forget();
        port = port1;
      }
      onMessage(message);
    };
    const init: Init = { type: INIT };
    frame.contentWindow?.postMessage(init, origin, [port2]);
    timer = setTimeout(offer, AGAIN_MS);
  };
  frame.onload = () => {
    // A frame's first, empty document has the page's own origin: nobody is there yet.
    if (frame.contentDocument?.URL === 'about:blank') return;
    forget();
    offer();
  };
  return {
    post: (message) => port?.postMessage(message),
    end: () => {
      frame.onload = null;
      forget();
    },
  };
}
