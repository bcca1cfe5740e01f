import { WARM } from '../../../service/src/shared/warm.js';
import type { FromPage } from '../messages.js';
import { connect, frameFor, type Connection } from './connect.js';
import { watchViolation } from './framing.js';
import { pageBody } from './dom.js';
import { dressed, schemeOf, type Dress } from './looks.js';
import type { SdkConfig } from './session-url.js';
import { createView, placeIn, type Kind, type View, type ViewCallbacks } from './view.js';

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
  isWaiting?: boolean;
  /** When it waits, or will not. */
  readonly settled: Promise<void>;
  /** It is not kept here any more. */
  leave(): void;
}

/** A page that has not come by then does not come. */
const COMING_MS = 10_000;
const UNUSED_MS = 300_000;

let warm: Kept | undefined;
let timer: ReturnType<typeof setTimeout>;
/** The page's own policy lets it frame nothing of ours: it is not to be told so each time. */
let isRefused = false;

function drop(): void {
  warm?.leave();
  warm?.connection.end();
  warm?.view.remove();
  warm = undefined;
}

/** Its time begins anew. */
function renew(): void {
  clearTimeout(timer);
  timer = setTimeout(drop, warm?.isWaiting ? UNUSED_MS : COMING_MS);
}

/** Opens one, unless there is such a one, or the payer saves data. Resolves when it waits, or when it will not. */
export async function warmUp({ base }: SdkConfig, dress: Dress): Promise<void> {
  if (isRefused || (navigator as { connection?: { saveData?: boolean } }).connection?.saveData) return;
  const scheme = schemeOf(dress.appearance, pageBody());
  const { origin, search } = dressed(base, dress, scheme);
  if (warm?.search !== search || !warm.frame.isConnected) {
    drop();
    const callbacks = { onClose() {}, onRetry() {} };
    const host = placeIn(undefined);
    const view = createView('payment', undefined, host, scheme, callbacks);
    const address = new URL(`${base}/s/${WARM}${search}&origin=${encodeURIComponent(location.origin)}`);
    const frame = frameFor(address);
    host.append(frame);
    view.show(frame);
    const connection = connect(frame, address, (message) => mine.hear(message));
    let settle: () => void;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    const endViolation = watchViolation(origin, () => {
      isRefused = true;
      drop();
    });
    const mine: Kept = {
      search,
      view,
      callbacks,
      frame,
      connection,
      settled,
      hear() {
        mine.isWaiting = true;
        settle();
        renew();
      },
      leave() {
        clearTimeout(timer);
        endViolation();
        removeEventListener('pagehide', drop);
        settle();
      },
    };
    warm = mine;
    addEventListener('pagehide', drop);
  }
  renew();
  return warm.settled;
}

/** The page that waits, where a flow of this kind can be shown in it; after this there is none any more. */
export function takeWarm(kind: Kind, container: Element | undefined, search: string): Warm | undefined {
  const mine = warm;
  if (
    mine?.isWaiting &&
    mine.frame.isConnected &&
    kind === 'payment' &&
    mine.search === search &&
    // Moved otherwise, a frame is empty again.
    (!container || 'moveBefore' in container)
  ) {
    mine.leave();
    warm = undefined;
    return mine;
  }
  drop();
  return undefined;
}
