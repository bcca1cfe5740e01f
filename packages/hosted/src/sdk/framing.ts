import type { Failure } from './error.js';
import { framingOf, isEmpty } from './offer-port.js';
import type { Session } from './session-url.js';

/** A working page has replied by then. A blocked one loads but doesn't reply. */
const SILENT_MS = 500;

/**
 * Finds out why a browser keeps a session's frame empty, and reports it once, with what the merchant or the operator has to
 * change. Browsers do not tell a page that its frame was refused, so the service is asked who may frame it. Returns a
 * function that ends the watch. This module arrives late: the frame may be refused by then, and the policy's violations are
 * `missed`.
 */
export function watchFraming(
  frame: HTMLIFrameElement,
  { origin, url }: Session,
  missed: readonly SecurityPolicyViolationEvent[],
  report: (...why: Failure) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout>;

  const ask = async (): Promise<void> => {
    // That of a sandbox is `null`. A page may have a variable named `origin`.
    const { origin: own } = globalThis;
    const isOwn = own === 'null' || URL.canParse(own);
    const origins = [isOwn ? own : location.origin, ...(location.ancestorOrigins ?? [])];
    const address = `${framingOf(new URL(url))}.js?origins=${encodeURIComponent(origins.join())}`;
    const { default: refused } = (await import(/* @vite-ignore */ address)) as { default: string | null };
    if (refused === 'null')
      report(
        'frame_unreachable',
        `A sandbox without allow-same-origin hides the origin of this page, so ${origin} refuses it.`,
      );
    else if (refused)
      report(
        'origin_not_allowed',
        `${origin} refuses ${refused}: add ${refused} to the business unit's allowedOrigins.`,
      );
  };

  const onLoad = (): void => {
    clearTimeout(timer);
    // Without a response, the frame's own timeout still applies.
    if (!isEmpty(frame)) timer = setTimeout(() => ask().catch(() => {}), SILENT_MS);
  };
  frame.addEventListener('load', onLoad);
  onLoad();

  const onViolation = ({
    blockedURI,
    disposition,
    effectiveDirective,
  }: SecurityPolicyViolationEvent): void => {
    if (disposition === 'enforce' && effectiveDirective === 'frame-src' && blockedURI.startsWith(origin))
      report(
        'frame_src',
        `The page's Content-Security-Policy blocks the frame: add ${origin} to frame-src.`,
        'csp_blocked',
      );
  };
  addEventListener('securitypolicyviolation', onViolation);
  for (const event of missed) onViolation(event);

  return () => {
    frame.removeEventListener('load', onLoad);
    clearTimeout(timer);
    removeEventListener('securitypolicyviolation', onViolation);
  };
}
