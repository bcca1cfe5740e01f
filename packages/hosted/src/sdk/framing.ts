import { refusedOrigin } from '../messages.js';
import { element, pageBody } from './dom.js';
import type { Failure } from './error.js';
import { framingOf, isEmpty, offerPort } from './offer-port.js';
import type { Session } from './session-url.js';

/** A page that is blocked loads and is silent: a page that works has spoken by then. */
const SILENT_MS = 500;

/**
 * Watches why a browser keeps a session's frame empty, and says so once, with what the merchant or the operator changes.
 * A page is not told that its frame was refused, so a page of the service that anybody may frame is asked. Returns how to
 * end it.
 */
export function watchFraming(
  frame: HTMLIFrameElement,
  { origin, url }: Session,
  tell: (...why: Failure) => void,
): () => void {
  const host = element('div');
  let timer: ReturnType<typeof setTimeout>;
  const ask = (): void => {
    const asked = element('iframe');
    asked.src = framingOf(new URL(url));
    asked.onload = () =>
      offerPort(asked, origin, (data) => {
        host.remove();
        const refused = refusedOrigin(data);
        if (refused)
          tell(
            'origin_not_allowed',
            `${origin} lets no page in ${refused} show its sessions: add ${refused} to the business unit's allowedOrigins.`,
          );
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
  const endViolation = watchViolation(origin, () =>
    tell(
      'frame_src',
      `The page's Content-Security-Policy blocks the frame: add ${origin} to frame-src.`,
      'csp_blocked',
    ),
  );
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
  addEventListener('securitypolicyviolation', onViolation);
  return () => removeEventListener('securitypolicyviolation', onViolation);
}
