import { WARM } from '@shared/warm.js';
import type { FromPage } from '../messages.js';
import { connect, frameFor, type Connection } from './connect.js';
import { pageBody, runAll } from './dom.js';
import { addressWith, schemeOf, type Appearances } from './looks.js';
import type { SdkConfig } from './session-url.js';
import { createView, type Kind, type View } from './view.js';

/** A hidden page, opened before its session, that waits for it in the dialog that will show the payment. */
export interface Warm {
  readonly view: View;
  readonly frame: HTMLIFrameElement;
  readonly connection: Connection;
  onMessage: (message: FromPage) => void;
}

const LOAD_MS = 10_000;
const UNUSED_MS = 300_000;

/** One page at a time. */
let warm: WarmPage | undefined;

class WarmPage implements Warm {
  readonly view: View;
  readonly frame: HTMLIFrameElement;
  readonly connection: Connection;
  /** Language and appearance, as in its address. */
  readonly search: string;
  isWaiting = false;
  /** Resolves when the page is waiting, or can't. */
  readonly settled: Promise<void>;
  onMessage: (message: FromPage) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settle!: () => void;

  constructor(address: URL, scheme: Parameters<typeof createView>[2], search: string) {
    this.search = search;
    this.frame = frameFor(address);
    this.view = createView('payment', undefined, scheme, (host) => host.append(this.frame));
    this.view.show(this.frame);
    this.settled = new Promise((resolve) => (this.#settle = resolve));
    this.onMessage = () => {
      this.isWaiting = true;
      this.#settle();
      this.keep();
    };
    this.connection = connect(this.frame, address, (message) => this.onMessage(message));
    addEventListener('pagehide', this.remove);
  }

  /** Keeps the page for some more minutes, if it loads. */
  keep(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.remove, this.isWaiting ? UNUSED_MS : LOAD_MS);
  }

  /** Hands it over to a flow. */
  leave(): void {
    warm = undefined;
    clearTimeout(this.#timer);
    removeEventListener('pagehide', this.remove);
    this.#settle();
  }

  remove = (): void =>
    runAll(
      () => this.leave(),
      () => this.connection.end(),
      () => this.view.remove(),
    );
}

/**
 * Opens a page ahead of its session, unless one is open or the payer saves data. Resolves when the page is waiting, or can't.
 */
export async function warmUp({ base }: SdkConfig, appearances: Appearances): Promise<void> {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return;

  const scheme = schemeOf(appearances.appearance, pageBody());
  const { search } = addressWith(base, appearances, scheme);
  if (warm?.search !== search || !warm.frame.isConnected) {
    warm?.remove();
    const address = new URL(`${base}/s/${WARM}${search}&origin=${encodeURIComponent(location.origin)}`);
    warm = new WarmPage(address, scheme, search);
  }
  warm.keep();
  return warm.settled;
}

/** Takes the waiting page if a flow of this kind can be shown in it. Otherwise removes it. */
export function takeWarm(kind: Kind, container: Element | undefined, search: string): Warm | undefined {
  const page = warm;
  const isUsable =
    page?.isWaiting &&
    page.frame.isConnected &&
    kind === 'payment' &&
    page.search === search &&
    (!container || 'moveBefore' in container);

  if (isUsable) page.leave();
  else page?.remove();
  return isUsable ? page : undefined;
}
