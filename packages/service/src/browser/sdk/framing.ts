import { isRefusal } from '../messages.js';
import { element, pageBody } from './dom.js';
import { framingOf, isEmpty, offerPort } from './offer-port.js';
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
  const host = element('div');
  let timer: ReturnType<typeof setTimeout>;
  const ask = (): void => {
    const asked = element('iframe');
    asked.src = framingOf(new URL(url));
    asked.onload = () =>
      offerPort(asked, origin, (data) => {
        host.remove();
        if (isRefusal(data)) tell('origin');
      });
    host.hidden = true;
    host.attachShadow({ mode: 'closed' }).append(asked);
    pageBody().append(host);
  };
  const onLoad = (): void => {
    if (isEmpty(frame)) return;
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
