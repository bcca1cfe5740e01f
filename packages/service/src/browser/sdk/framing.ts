import { INIT, isFraming, type Init } from '../messages.js';
import type { Session } from './session-url.js';

/** A page that is blocked loads and is silent: a page that works has spoken by then. */
const SILENT_MS = 500;

/**
 * Watches why a session's frame stays empty, and says so once. A browser does not tell a page that its frame was
 * refused, so a page of the service that anybody may frame is asked. Returns how to end it.
 */
export function watchFraming(
  frame: HTMLIFrameElement,
  { origin, url }: Session,
  tell: (why: 'csp' | 'origin') => void,
): () => void {
  const host = document.createElement('div');
  let timer: ReturnType<typeof setTimeout>;
  const ask = (): void => {
    const asked = document.createElement('iframe');
    const address = new URL(url);
    asked.src = `${origin}${address.pathname}/framing`;
    asked.onload = () => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => {
        host.remove();
        if (isFraming(data) && !data.isAllowed) tell('origin');
      };
      const init: Init = { type: INIT };
      asked.contentWindow?.postMessage(init, origin, [port2]);
    };
    host.hidden = true;
    host.attachShadow({ mode: 'closed' }).append(asked);
    (document.body ?? document.documentElement).append(host);
  };
  const onLoad = (): void => {
    if (frame.contentDocument?.URL === 'about:blank') return;
    frame.removeEventListener('load', onLoad);
    timer = setTimeout(ask, SILENT_MS);
  };
  frame.addEventListener('load', onLoad);
  const endViolation = watchViolation(origin, () => tell('csp'));
  return () => {
    clearTimeout(timer);
    host.remove();
    frame.removeEventListener('load', onLoad);
    endViolation();
  };
}

/** Tells when the page's own policy refuses a frame of `origin`. Returns how to end it. */
export function watchViolation(origin: string, tell: () => void): () => void {
  const onViolation = (event: SecurityPolicyViolationEvent): void => {
    const { blockedURI, disposition, effectiveDirective } = event;
    if (disposition === 'enforce' && effectiveDirective === 'frame-src' && blockedURI.startsWith(origin))
      tell();
  };
  document.addEventListener('securitypolicyviolation', onViolation);
  return () => document.removeEventListener('securitypolicyviolation', onViolation);
}
