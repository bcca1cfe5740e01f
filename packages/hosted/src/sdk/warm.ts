import { WARM } from '../../../service/src/shared/warm.js';
import type { FromPage } from '../messages.js';
import { connect, frameFor, type Connection } from './connect.js';
import { pageBody, runAll } from './dom.js';
import { watchViolation } from './framing.js';
import { addressWith, schemeOf, type Appearances } from './looks.js';
import type { SdkConfig } from './session-url.js';
import { createView, placeIn, type Kind, type View, type ViewCallbacks } from './view.js';

/** A hidden page, opened before its session, that waits for it in the dialog that will show the payment. */
export interface Warm {
  readonly view: View;
  readonly callbacks: ViewCallbacks;
  readonly frame: HTMLIFrameElement;
  readonly connection: Connection;
  onMessage: (message: FromPage) => void;
}

interface Kept extends Warm {
  /** Language and appearance, as in its address. */
  readonly search: string;
  isWaiting?: boolean;
  /** Resolves when the page is waiting, or can't. */
  readonly settled: Promise<void>;
  /** Stops keeping it ready. */
  leave(): void;
}

const LOAD_MS = 10_000;
const UNUSED_MS = 300_000;

let warm: Kept | undefined;
let timer: ReturnType<typeof setTimeout>;
/** The page's own policy blocks our frames, and a retry would only cause another report. */
let isRefused = false;

function drop(): void {
  const dropped = warm;
  warm = undefined;
  runAll(
    () => dropped?.leave(),
    () => dropped?.connection.end(),
    () => dropped?.view.remove(),
  );
}

function restartTimer(): void {
  clearTimeout(timer);
  timer = setTimeout(drop, warm?.isWaiting ? UNUSED_MS : LOAD_MS);
}

/**
 * Opens a page ahead of its session, unless one is open or the payer saves data. Resolves when the page is waiting, or can't.
 */
export async function warmUp({ base }: SdkConfig, appearances: Appearances): Promise<void> {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (isRefused || connection?.saveData) return;

  const scheme = schemeOf(appearances.appearance, pageBody());
  const { origin, search } = addressWith(base, appearances, scheme);
  if (warm?.search !== search || !warm.frame.isConnected) {
    drop();
    const address = new URL(`${base}/s/${WARM}${search}&origin=${encodeURIComponent(location.origin)}`);
    const endViolation = watchViolation(origin, () => {
      isRefused = true;
      drop();
    });
    warm = openAhead(address, scheme, search, endViolation);
    addEventListener('pagehide', drop);
  }
  restartTimer();
  return warm.settled;
}

function openAhead(
  address: URL,
  scheme: Parameters<typeof createView>[3],
  search: string,
  endViolation: () => void,
): Kept {
  const callbacks = { onClose() {}, onRetry() {} };
  const host = placeIn(undefined);
  const view = createView('payment', undefined, host, scheme, callbacks);
  const frame = frameFor(address);
  host.append(frame);
  view.show(frame);

  let settle: () => void;
  const settled = new Promise<void>((resolve) => (settle = resolve));
  const kept: Kept = {
    search,
    view,
    callbacks,
    frame,
    connection: connect(frame, address, (message) => kept.onMessage(message)),
    settled,
    onMessage() {
      kept.isWaiting = true;
      settle();
      restartTimer();
    },
    leave() {
      clearTimeout(timer);
      endViolation();
      removeEventListener('pagehide', drop);
      settle();
    },
  };
  return kept;
}

/** Takes the waiting page if a flow of this kind can be shown in it. Otherwise removes it. */
export function takeWarm(kind: Kind, container: Element | undefined, search: string): Warm | undefined {
  const waiting = warm;
  const isUsable =
    waiting?.isWaiting &&
    waiting.frame.isConnected &&
    kind === 'payment' &&
    waiting.search === search &&
    // Moved in any other way, a frame loads again.
    (!container || 'moveBefore' in container);

  if (!isUsable) {
    drop();
    return undefined;
  }
  waiting.leave();
  warm = undefined;
  return waiting;
}
