import type { Failure } from './error.js';
import { framingUrl, isEmpty } from './connect.js';
import type { Session } from './session-url.js';

/** A working page has replied by then. A blocked page loads but never replies. */
const SILENT_MS = 500;

/**
 * Finds out why the browser blocks a session's frame, and reports once what the merchant or the operator has to change.
 * Browsers don't report that a frame was refused, so this asks the service who may frame it. This module loads late:
 * `missed` has the CSP violations from before. Returns a function that stops watching.
 */
export function watchFraming(
  frame: HTMLIFrameElement,
  { origin, url }: Session,
  missed: readonly SecurityPolicyViolationEvent[],
  report: (...why: Failure) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout>;

  const checkOrigin = async (): Promise<void> => {
    // `null` in a sandbox. Anything else if the page has its own variable named `origin`.
    const { origin: own } = globalThis;
    const isOwn = own === 'null' || URL.canParse(own);
    const origins = [isOwn ? own : location.origin, ...(location.ancestorOrigins ?? [])];
    const address = `${framingUrl(new URL(url))}.js?origins=${encodeURIComponent(origins.join())}`;
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
    // If the request fails, the frame's own timeout still applies.
    if (!isEmpty(frame)) timer = setTimeout(() => checkOrigin().catch(() => {}), SILENT_MS);
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
