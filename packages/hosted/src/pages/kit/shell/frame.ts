/**
 * The page's side of the frame protocol (`messages.ts`). Accepts the first `init` from its parent if the business unit
 * allows the origin, then sends the queued messages.
 */
import { isInline } from './surroundings.js';
import { isInit, parseToPage, type FromPage } from '../../../messages.js';

export type FrameStatus =
  | { kind: 'top-level' }
  | { kind: 'waiting' }
  | { kind: 'connected' }
  /** `init` came from an origin that is not allowed. */
  | { kind: 'refused'; origin: string }
  /** No `init` came in time. */
  | { kind: 'silent' };

export interface Frame {
  readonly status: FrameStatus;
  /** The dialog around the frame has opened and focused the frame. */
  readonly hasFocus: boolean;
  post: (message: FromPage) => void;
  /** Called when `status` changes. */
  onChange?: () => void;
  /** The pending close request, with its time on the `performance` clock. Deleted once the page has replied. */
  closing?: { at: number; by: 'payer' | 'merchant' };
  onClose?: () => void;
  /** Call when the content has its final height. */
  drawn?: () => void;
}

const SILENT_AFTER_MS = 10_000;

/** The `ready` message, with what the HTML declares. */
export function readiness(html: HTMLElement): FromPage {
  const style = getComputedStyle(html);
  return {
    type: 'ready',
    lang: html.lang,
    radius: style.getPropertyValue('--radius'),
    flow: html.dataset['flow'],
    fills: isInline(window) && style.getPropertyValue('--inset') !== '',
  };
}

/**
 * `allowedOrigins`: `*` allows any origin, for pages that show no session. `onFocus` is called when the dialog has opened
 * and focused the frame.
 */
export function connectFrame(allowedOrigins: readonly string[], onFocus: () => void): Frame {
  const waiting: FromPage[] = [];
  let port: MessagePort | undefined;
  let hasFocus = false;
  let status: FrameStatus = parent === window ? { kind: 'top-level' } : { kind: 'waiting' };

  const become = (next: FrameStatus): void => {
    status = next;
    frame.onChange?.();
  };

  const isAllowed = (origin: string): boolean =>
    allowedOrigins.includes('*') || allowedOrigins.includes(origin);

  const onInit = (event: MessageEvent): void => {
    if (event.source !== parent || port !== undefined) return;
    if (!isInit(event.data)) return;
    if (!isAllowed(event.origin)) return become({ kind: 'refused', origin: event.origin });

    port = event.ports[0];
    if (port === undefined) return;

    port.addEventListener('message', ({ data }) => {
      const message = parseToPage(data);
      if (message?.type === 'focus') {
        hasFocus = true;
        onFocus();
      } else if (message?.type === 'close') {
        frame.closing = { at: performance.now(), by: message.by ?? 'merchant' };
        frame.onClose?.();
      }
    });
    port.start();
    port.postMessage(readiness(document.documentElement));
    for (const message of waiting.splice(0)) port.postMessage(message);
    become({ kind: 'connected' });
  };

  if (status.kind === 'waiting') {
    addEventListener('message', onInit);
    setTimeout(() => {
      if (status.kind === 'waiting') become({ kind: 'silent' });
    }, SILENT_AFTER_MS);
  }

  const frame: Frame = {
    get status() {
      return status;
    },
    get hasFocus() {
      return hasFocus;
    },
    post(message) {
      if (port !== undefined) port.postMessage(message);
      else if (status.kind !== 'top-level') waiting.push(message);
    },
  };
  return frame;
}

/**
 * Reports the height of the content after each change. Returns a function that starts this: call it once the content is
 * rendered, because the height of the skeleton would make the merchant's page jump twice.
 */
export function followHeight(frame: Frame, content: HTMLElement): () => void {
  let last = 0;
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(content.getBoundingClientRect().height);
    if (height !== last) frame.post({ type: 'resize', height: (last = height) });
  });
  return () => observer.observe(content);
}

/** Reports the position of the focus. The frame is as high as its content and can't scroll, so the merchant's page has to. */
export function followFocus(frame: Frame): void {
  addEventListener('focusin', ({ target }) => {
    if (!document.hasFocus()) return;
    const { top, height } = (target as Element).getBoundingClientRect();
    frame.post({ type: 'reveal', top: top + scrollY, height });
  });
}
