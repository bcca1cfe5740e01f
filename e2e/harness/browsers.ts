/** Chromium and Firefox ESR by Playwright. A test's file launches each once and makes contexts as it needs them. */
import { chromium, firefox, type Browser, type LaunchOptions } from 'playwright-core';
import { findEngine } from '../../tools/engines.mjs';

export type Engine = 'chromium' | 'firefox';

/** The engines that are installed: `describe.each(ENGINES)`. The test command names those that are not. */
export const ENGINES: readonly Engine[] = (['chromium', 'firefox'] as const).filter(
  (engine) => findEngine(engine) !== null,
);

/**
 * For files that cost a minute in each engine: `npx -y pnpm@12 browser` runs them in all, the test command, which has
 * six minutes, in the first.
 */
export const MATRIX_ENGINES: readonly Engine[] =
  process.env['MATRIX'] === 'all' ? ENGINES : ENGINES.slice(0, 1);

/**
 * The last of two such switches counts, so Playwright's own list stands here too, without what is for Edge and macOS.
 * The two of the omnibox start two more renderers for each window, which is half of the processor time of a test.
 */
const DISABLED_FEATURES: readonly string[] = [
  'AimEnabled',
  'AutoDeElevate',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'BlockOriginHeaderModificationOnRedirect',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'Translate',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];

/** No sandbox as root; no calls to Google's hosts, which on a closed network only cost time. */
const CHROMIUM_ARGUMENTS: readonly string[] = [
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function launch(engine: Engine, options: LaunchOptions = {}): Promise<Browser> {
  const executablePath = findEngine(engine);
  if (executablePath === null) throw new Error(`${engine} is not installed: node tools/with-engines.mjs`);
  if (engine === 'chromium') {
    return chromium.launch({
      ...options,
      executablePath,
      args: [...CHROMIUM_ARGUMENTS, ...(options.args ?? [])],
    });
  }
  return firefox.launch({
    ...options,
    channel: 'moz-firefox',
    executablePath,
    // With site isolation a click in a cross-site frame misses its target under Playwright.
    firefoxUserPrefs: { 'fission.autostart': false, ...options.firefoxUserPrefs },
  });
}
