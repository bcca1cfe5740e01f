import { WARM } from '../../shared/warm.js';
import type { FromPage } from '../messages.js';
import { connect, type Connection } from './connect.js';
import { watchViolation } from './framing.js';
import { dressed, schemeOf, type Dress } from './looks.js';
import type { SdkConfig } from './session-url.js';
import { createView, type Kind, type View, type ViewCallbacks } from './view.js';

/** A page that was opened ahead of its session and waits for it, unseen, in the dialog that a payment opens in. */
export interface Warm {
  readonly view: View;
  readonly callbacks: ViewCallbacks;
  readonly frame: HTMLIFrameElement;
  readonly connection: Connection;
  /** Told what the page says. */
  hear: (message: FromPage) => void;
}

interface Kept extends Warm {
  /** How it was asked to look and speak, as its address says it. */
  readonly search: string;
  isWaiting?: true;
  readonly settled: Promise<void>;
  /** Counts its time from now. */
  renew(): void;
  /** Stops counting. */
  rest(): void;
}

/** A page that has not come by then does not come. */
const COMING_MS = 10_000;
const UNUSED_MS = 300_000;

let warm: Kept | undefined;

function drop(): void {
  warm?.rest();
  warm?.connection.end();
  warm?.view.remove();
  warm = undefined;
}

/** Opens one, unless there is such a one or the payer saves data. Resolves when it waits, or when it will not. */
export function warmUp({ base }: SdkConfig, dress: Dress): Promise<void> {
  const scheme = schemeOf(dress.appearance, document.body ?? document.documentElement);
  const { origin, search } = new URL(dressed(base, dress, scheme));
  if ((navigator as { connection?: { saveData?: boolean } }).connection?.saveData) return Promise.resolve();
  if (warm?.search !== search || !warm.frame.isConnected) {
    drop();
    const callbacks = { onClose() {}, onRetry() {} };
    const view = createView('payment', undefined, scheme, callbacks);
    const frame = document.createElement('iframe');
    view.show(frame);
    let settle: () => void;
    let timer: ReturnType<typeof setTimeout>;
    const endViolation = watchViolation(origin, drop);
    const mine: Kept = {
      search,
      view,
      callbacks,
      frame,
      hear: () => {
        mine.isWaiting = true;
        mine.renew();
        settle();
      },
      connection: connect(
        frame,
        origin,
        `${base}/s/${WARM}${search}&origin=${encodeURIComponent(location.origin)}`,
        (message) => mine.hear(message),
      ),
      settled: new Promise((resolve) => (settle = resolve)),
      renew: () => {
        clearTimeout(timer);
        timer = setTimeout(drop, mine.isWaiting ? UNUSED_MS : COMING_MS);
      },
      rest: () => {
        clearTimeout(timer);
        endViolation();
        removeEventListener('pagehide', drop);
        settle();
      },
    };
    addEventListener('pagehide', drop);
    warm = mine;
  }
  warm.renew();
  return warm.settled;
}

/** The page that waits, where a flow of this kind can be shown in it; else there is none any more. */
export function takeWarm(kind: Kind, container: Element | undefined, search: string): Warm | undefined {
  const mine = warm;
  if (
    mine?.isWaiting &&
    kind === 'payment' &&
    mine.search === search &&
    mine.frame.isConnected &&
    // Moved otherwise, a frame is empty again.
    (!container || (container.ownerDocument === document && 'moveBefore' in container))
  ) {
    mine.rest();
    warm = undefined;
    return mine;
  }
  drop();
  return undefined;
}
