import { INIT, type Init } from '../messages.js';

/** A frame's first, empty document has the page's own origin. */
export function isEmpty(frame: HTMLIFrameElement): boolean {
  return frame.contentDocument?.URL === 'about:blank';
}

/** The address of a page next to the session's that anybody may frame and that shows nothing. */
export function framingOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}/framing`;
}

/** Posts `init` to the exact origin of the page in a frame. Returns our end of the channel that it may reply on. */
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
