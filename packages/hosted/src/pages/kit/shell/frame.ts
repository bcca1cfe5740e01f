/**
 * The page's side of the frame protocol (`messages.ts`). Accepts the first `init` from its parent, if the business unit allows
 * the origin, and then sends the messages queued so far.
 */
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
  /** The dialog around the frame has opened and moved the focus into it. */
  readonly hasFocus: boolean;
  tell: (message: FromPage) => void;
  subscribe: (listener: () => void) => () => void;
  /** Who asked the page to close, and when on the `performance` clock; unset once the page has replied. */
  closing?: { at: number; by: 'payer' | 'merchant' };
  onClose?: () => void;
  /** Called when content is visible at its final height. */
  drawn?: () => void;
}

const SILENT_AFTER_MS = 10_000;

interface Surroundings {
  /** This window. */
  own: Window;
  /** `*` for any origin, as on a page that shows no session. */
  allowedOrigins: readonly string[];
  /** The dialog has opened and the focus is in the frame. */
  onFocus: () => void;
}

/** What the HTML declares about a listening page. */
export const readiness = (html: HTMLElement): FromPage => ({
  type: 'ready',
  lang: html.lang,
  radius: getComputedStyle(html).getPropertyValue('--radius'),
  flow: html.dataset['flow'],
});

export function connectFrame({ own, allowedOrigins, onFocus }: Surroundings): Frame {
  const listeners = new Set<() => void>();
  const waiting: FromPage[] = [];
  let port: MessagePort | undefined;
  let hasFocus = false;
  let status: FrameStatus = own.parent === own ? { kind: 'top-level' } : { kind: 'waiting' };

  const become = (next: FrameStatus): void => {
    status = next;
    for (const listener of listeners) listener();
  };

  const isAllowed = (origin: string): boolean =>
    allowedOrigins.includes('*') || allowedOrigins.includes(origin);

  const onInit = (event: MessageEvent): void => {
    if (event.source !== own.parent || port !== undefined) return;
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
    port.postMessage(readiness(own.document.documentElement));
    for (const message of waiting.splice(0)) port.postMessage(message);
    become({ kind: 'connected' });
  };

  if (status.kind === 'waiting') {
    own.addEventListener('message', onInit);
    own.setTimeout(() => {
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
    tell(message) {
      if (port !== undefined) port.postMessage(message);
      else if (status.kind !== 'top-level') waiting.push(message);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return frame;
}

/** After this time, shows a slow page while it is still opening. */
const LATEST_MS = 600;

/**
 * Reports the height of the content after each change, once rendered: an intermediate height would make the page around the
 * frame jump. Returns a function that starts this.
 */
export function followHeight(frame: Frame, content: HTMLElement): () => void {
  let last = 0;
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(content.getBoundingClientRect().height);
    if (height !== last) frame.tell({ type: 'resize', height: (last = height) });
  });
  const begin = (): void => observer.observe(content);
  void Promise.resolve(window.begun).then(() => setTimeout(begin, LATEST_MS));
  return begin;
}

/** Reports the position of the focus: a frame as high as its content can't scroll, so the page around it has to. */
export function followFocus(frame: Frame): void {
  addEventListener('focusin', ({ target }) => {
    if (!document.hasFocus()) return;
    const { top, height } = (target as Element).getBoundingClientRect();
    frame.tell({ type: 'reveal', top: top + scrollY, height });
  });
}
