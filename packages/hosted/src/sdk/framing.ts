import { refusedOrigin } from '../messages.js';
import { detach, element, pageBody } from './dom.js';
import type { Failure } from './error.js';
import { framingOf, isEmpty, offerPort } from './offer-port.js';
import type { Session } from './session-url.js';

/** A page that works has answered by then. One that was blocked loads but stays silent. */
const SILENT_MS = 500;

/**
 * Finds out why a browser keeps a session's frame empty, and reports it once, with what the merchant or the operator has to
 * change. Browsers do not tell a page that its frame was refused, so a page of the service that anybody may frame is asked.
 * Returns a function that ends the watch.
 */
export function watchFraming(
  frame: HTMLIFrameElement,
  { origin, url }: Session,
  report: (...why: Failure) => void,
): () => void {
  const host = element('div');
  let timer: ReturnType<typeof setTimeout>;

  const ask = (): void => {
    const other = element('iframe');
    other.src = framingOf(new URL(url));
    other.onload = () =>
      offerPort(other, origin, (data) => {
        detach(host);
        const refused = refusedOrigin(data);
        if (refused)
          report(
            'origin_not_allowed',
            `${origin} lets no page in ${refused} show its sessions: add ${refused} to the business unit's allowedOrigins.`,
          );
      });
    host.hidden = true;
    host.attachShadow({ mode: 'closed' }).append(other);
    pageBody().append(host);
  };

  const onLoad = (): void => {
    if (isEmpty(frame)) return;
    frame.removeEventListener('load', onLoad);
    timer = setTimeout(ask, SILENT_MS);
  };
  frame.addEventListener('load', onLoad);

  const endViolation = watchViolation(origin, () =>
    report(
      'frame_src',
      `The page's Content-Security-Policy blocks the frame: add ${origin} to frame-src.`,
      'csp_blocked',
    ),
  );
  return () => {
    clearTimeout(timer);
    detach(host);
    frame.removeEventListener('load', onLoad);
    endViolation();
  };
}

/** Calls `report` when the page's own policy refuses a frame of `origin`. Returns a function that ends the watch. */
export function watchViolation(origin: string, report: () => void): () => void {
  const onViolation = (event: SecurityPolicyViolationEvent): void => {
    const { blockedURI, disposition, effectiveDirective } = event;
    if (disposition === 'enforce' && effectiveDirective === 'frame-src' && blockedURI.startsWith(origin))
      report();
  };
  addEventListener('securitypolicyviolation', onViolation);
  return () => removeEventListener('securitypolicyviolation', onViolation);
}
