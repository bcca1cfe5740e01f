import { Connection, frameFor } from './connect.js';
import { addressWith, schemeOf, type DisplayOptions } from './display.js';
import type { SdkConfig } from './session-url.js';
import { View, type Kind } from './view.js';
import type * as Later from './warm-page.js';
import { importFor } from './words.js';

const parts: Later.Parts = {
  page: undefined,
  Connection,
  frameFor,
  addressWith,
  schemeOf,
  View,
};

/** Opens a page before its session exists. Resolves when the page is waiting or has failed. */
export async function warmUp(config: SdkConfig, display: DisplayOptions): Promise<void> {
  const { openWarmPage } = await importFor<typeof Later>(navigator.languages);
  await openWarmPage?.(parts, config, display);
}

/** Returns the waiting page if it can show this flow. Otherwise removes it. */
export function takeWarm(
  kind: Kind,
  container: Element | undefined,
  search: string,
): Later.WarmPage | undefined {
  const { page } = parts;
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
