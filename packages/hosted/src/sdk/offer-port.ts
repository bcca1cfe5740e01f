import { INIT, type Init } from '../messages.js';

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
