/**
 * The page's side of the frame protocol (`messages.ts`). Accepts the first `init` from its parent if the business unit
 * allows the origin, then sends the queued messages.
 */
import { isInline } from '../../../page-state.js';
import { isInit, parseToPage, type FromPage } from '../../../messages.js';

export type FrameStatus = { kind: 'top-level' | 'waiting' | 'connected' } | BlockedFrame;

/** The merchant's page may not show the flow. */
export type BlockedFrame =
  /** `init` came from an origin that is not allowed: `frame-ancestors http://…` also lets `https://…` frame the page. */
  | { kind: 'refused'; origin: string }
  /** No `init` came in time. */
  | { kind: 'silent' };

export interface Frame {
  status: FrameStatus;
  /** The dialog around the frame has opened and focused the frame. */
  hasFocus: boolean;
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

/** Whether the HTML allows this origin. `*` allows any, for pages that show no session. */
function isAllowed(origin: string): boolean {
  const { content = '' } = document.querySelector<HTMLMetaElement>('meta[name=allowed-origins]') ?? {};
  const allowed = content.split(' ');
  return allowed.includes('*') || allowed.includes(origin);
}

/** Connects to the SDK around the page. */
export function connectFrame(): Frame {
  const waiting: FromPage[] = [];
  let port: MessagePort | undefined;

  const frame: Frame = {
    status: { kind: parent === window ? 'top-level' : 'waiting' },
    hasFocus: false,
    post(message) {
      if (port !== undefined) port.postMessage(message);
      else if (frame.status.kind !== 'top-level') waiting.push(message);
    },
  };
  if (frame.status.kind === 'top-level') return frame;

  const become = (next: FrameStatus): void => {
    frame.status = next;
    frame.onChange?.();
  };
  addEventListener('message', ({ source, data, origin, ports }) => {
    if (source !== parent || port !== undefined || !isInit(data)) return;
    if (!isAllowed(origin)) return become({ kind: 'refused', origin });

    [port] = ports;
    if (port === undefined) return;

    port.addEventListener('message', (event) => receive(frame, event.data));
    port.start();
    port.postMessage(readiness(document.documentElement));
    for (const message of waiting.splice(0)) port.postMessage(message);
    become({ kind: 'connected' });
  });
  setTimeout(() => {
    if (frame.status.kind === 'waiting') become({ kind: 'silent' });
  }, SILENT_AFTER_MS);
  return frame;
}

function receive(frame: Frame, data: unknown): void {
  const message = parseToPage(data);
  if (message?.type === 'focus') {
    frame.hasFocus = true;
    focusHeading();
  } else if (message?.type === 'close') {
    frame.closing = { at: performance.now(), by: message.by ?? 'merchant' };
    frame.onClose?.();
  }
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

/** Focuses the page's heading, so that screen readers start there. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('#page h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
