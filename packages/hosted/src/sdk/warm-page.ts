import type { Appearance } from '@embedded-sessions/loader';
import { WARM } from '@shared/warm.js';
import type { FromPage } from '../messages.js';
import type { Connection, frameFor } from './connect.js';
import { runAll } from './dom.js';
import type { ColorScheme } from '@shared/appearance.js';
import type { addressWith, DisplayOptions, schemeOf } from './display.js';
import type { SdkConfig } from './session-url.js';
import type { View } from './view.js';

/** Parts of the main script that this module uses, which is imported later. */
export interface Parts {
  /** One at a time. */
  page: WarmPage | undefined;
  Connection: typeof Connection;
  frameFor: typeof frameFor;
  addressWith: typeof addressWith;
  schemeOf: typeof schemeOf;
  View: typeof View;
}

const LOAD_MS = 10_000;
const UNUSED_MS = 300_000;

/** A hidden page that waits for its session, in the dialog that will show the payment. */
export class WarmPage {
  readonly view: View;
  readonly frame: HTMLIFrameElement;
  readonly connection: Connection;
  /** Language and appearance, as the query of its address. */
  readonly search: string;
  isWaiting = false;
  /** Resolves when the page is waiting or has failed. */
  readonly settled: Promise<void>;
  onMessage: (message: FromPage) => void;
  readonly #parts: Parts;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settle!: () => void;

  constructor(
    parts: Parts,
    address: URL,
    scheme: ColorScheme,
    appearance: Appearance | undefined,
    search: string,
  ) {
    this.#parts = parts;
    this.search = search;
    this.frame = parts.frameFor(address);
    this.view = new parts.View('payment', undefined, scheme, appearance, (host) => host.append(this.frame));
    this.view.show(this.frame);
    this.settled = new Promise((resolve) => (this.#settle = resolve));
    this.onMessage = () => {
      this.isWaiting = true;
      this.#settle();
      this.keep();
    };
    this.connection = new parts.Connection(this.frame, address, (message) => this.onMessage(message));
    addEventListener('pagehide', this.remove);
  }

  /** Keeps the page for another five minutes once it has loaded. */
  keep(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.remove, this.isWaiting ? UNUSED_MS : LOAD_MS);
  }

  /** Releases the page to a flow. */
  leave(): void {
    this.#parts.page = undefined;
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

/** A warm page allows only the merchant's origin around it. */
function isInForeignFrame(): boolean {
  try {
    for (let page: Window = window; page !== top; page = page.parent) void page.parent.document;
    return false;
  } catch {
    return true;
  }
}

/**
 * Opens a page, unless one is open, the payer's browser saves data, or the merchant's page is in a frame of another origin.
 */
export async function openWarmPage(
  parts: Parts,
  { base }: SdkConfig,
  display: DisplayOptions,
): Promise<void> {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData || isInForeignFrame()) return;

  const scheme = parts.schemeOf(display.appearance);
  const { search } = parts.addressWith(base, display, scheme);
  let { page } = parts;
  if (page?.search !== search || !page.frame.isConnected) {
    page?.remove();
    const address = new URL(`${base}/s/${WARM}${search}&origin=${encodeURIComponent(location.origin)}`);
    parts.page = page = new WarmPage(parts, address, scheme, display.appearance, search);
  }
  page.keep();
  return page.settled;
}
