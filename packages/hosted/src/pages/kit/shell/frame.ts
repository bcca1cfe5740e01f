/**
 * The page's side of the frame protocol (`messages.ts`): takes the first `init` of its parent from an origin that the
 * business unit allows; what was to be told before that is told then.
 */
import { isInit, parseToPage, type FromPage } from '../../../messages.js';

export type FrameStatus =
  | { kind: 'top-level' }
  | { kind: 'waiting' }
  | { kind: 'connected' }
  /** `init` came, but from an origin that may not. */
  | { kind: 'refused'; origin: string }
  /** Nobody answered in time. */
  | { kind: 'silent' };

export interface Frame {
  readonly status: FrameStatus;
  /** The dialog around it has opened and put the focus in here. */
  readonly hasFocus: boolean;
  tell: (message: FromPage) => void;
  subscribe: (listener: () => void) => () => void;
  /** When the page was asked whether the frame can be removed, on the clock of `performance`; not answered yet. */
  closeAskedAt?: number;
  onClose?: () => void;
  /** Whether leaving would lose what was typed; asks the payer once where it would. */
  holdsBack?: () => boolean;
  /** There is something to see, at the height that it has. */
  drawn?: () => void;
}

const SILENT_AFTER_MS = 10_000;

interface Surroundings {
  /** This window. */
  own: Window;
  /** `*`: anybody, as on a page that shows no session. */
  allowedOrigins: readonly string[];
  /** The dialog has opened and the focus is in the frame. */
  onFocus: () => void;
}

/** What the HTML says of a page that listens. */
export const readiness = ({ lang, dataset: { flow } }: HTMLElement): FromPage => ({
  type: 'ready',
  lang,
  flow,
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
        frame.closeAskedAt = performance.now();
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

/** A page that opens slowly is seen while it opens. */
const LATEST_MS = 600;

/**
 * Tells the height of the content whenever it changes, once it is drawn: a height on the way to it would make the page
 * around the frame jump. Returns what begins it.
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

/** Tells where the focus goes: in a frame as high as its content it is the page around it that has to scroll. */
export function followFocus(frame: Frame): void {
  addEventListener('focusin', ({ target }) => {
    if (!document.hasFocus()) return;
    const { top, height } = (target as Element).getBoundingClientRect();
    frame.tell({ type: 'reveal', top: top + scrollY, height });
  });
}
