/** Chromium and Firefox ESR by Playwright. A test's file launches each once and makes contexts as it needs them. */
import { chromium, firefox, type Browser, type LaunchOptions } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findEngine } from '../../tools/engines.mjs';

export type Engine = 'chromium' | 'firefox';

/** The engines that are installed: `describe.each(ENGINES)`. The test command names those that are not. */
export const ENGINES: readonly Engine[] = (['chromium', 'firefox'] as const).filter(
  (engine) => findEngine(engine) !== null,
);

/** `npx -y pnpm@12 browser`: everything in every engine and every look; the test command has six minutes. */
export const IS_MATRIX = process.env['MATRIX'] === 'all';

/**
 * Of what each engine does its own way: the whole matrix asks all of them, the test command the first. Of Firefox it
 * asks whether whole flows are paid (payment).
 */
export const MATRIX_ENGINES: readonly Engine[] = IS_MATRIX ? ENGINES : ENGINES.slice(0, 1);

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

/** Chromium without bars and menus, which opens a page for half the processor time; `npx -y pnpm@12 browser` has the whole one. */
const SHELL = IS_MATRIX ? null : findEngine('shell');

/**
 * A blank page and the first one that will not share a window with others (COOP) would be of a process each, of which the
 * first is never used. Frames of another site have one of their own at any limit.
 */
const SHELL_ARGUMENTS: readonly string[] = ['--renderer-process-limit=1'];

/** `needsWindow`: for what the shell has not, such as pages that are kept for Back. */
export async function launch(
  engine: Engine,
  { needsWindow = false, ...options }: LaunchOptions & { needsWindow?: boolean } = {},
): Promise<Browser> {
  const shell = engine === 'chromium' && !needsWindow ? SHELL : null;
  const executablePath = shell ?? findEngine(engine);
  if (executablePath === null) throw new Error(`${engine} is not installed: node tools/with-engines.mjs`);
  if (engine === 'chromium') {
    return chromium.launch({
      ...options,
      executablePath,
      args: [
        ...CHROMIUM_ARGUMENTS,
        `--disable-features=${DISABLED_FEATURES.join(',')}`,
        ...(shell === null ? [] : SHELL_ARGUMENTS),
        ...(options.args ?? []),
      ],
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
