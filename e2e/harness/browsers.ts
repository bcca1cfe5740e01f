/** Chromium and Firefox ESR, driven by Playwright. A test file launches each once and creates contexts as needed. */
import { chromium, firefox, type Browser, type LaunchOptions } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findEngine } from '../../tools/engines.mjs';

export type Engine = 'chromium' | 'firefox';

/** The installed engines: `describe.each(ENGINES)`. The test command lists the missing ones. */
export const ENGINES: readonly Engine[] = (['chromium', 'firefox'] as const).filter(
  (engine) => findEngine(engine) !== null,
);

/** `npx -y pnpm@12 browser`: every test in every engine and look. The test command is limited to five minutes. */
export const IS_MATRIX = process.env['MATRIX'] === 'all';

/** Of many similar cases, the whole matrix tests all, the test command the first: `it.each(firstOf(2, CASES))`. */
export const firstOf = <T>(count: number, cases: readonly T[]): readonly T[] =>
  IS_MATRIX ? cases : cases.slice(0, count);

/**
 * For behavior that differs per engine: the whole matrix tests all engines, the test command the first. With Firefox it tests
 * only whole payments (payment).
 */
export const MATRIX_ENGINES: readonly Engine[] = IS_MATRIX ? ENGINES : ENGINES.slice(0, 1);

/**
 * Chromium uses only the last of two such switches, so this repeats Playwright's own list, except what is for Edge and macOS.
 * The two omnibox features start two more renderers per window, half of a test's CPU time.
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

/**
 * Chromium's headless shell, without bars and menus, which opens a page with half the CPU time. `npx -y pnpm@12 browser` uses
 * the full browser.
 */
const SHELL = IS_MATRIX ? null : findEngine('shell');

/**
 * A blank page and the first cross-origin isolated page (COOP) would each get a process, and the first is never used.
 * Cross-site frames get their own process whatever the limit.
 */
const SHELL_ARGUMENTS: readonly string[] = ['--renderer-process-limit=1'];

/** `needsWindow`: for features that the headless shell lacks, such as the back/forward cache. */
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
    // With site isolation, Playwright's clicks in a cross-site frame miss their target.
    firefoxUserPrefs: { 'fission.autostart': false, ...options.firefoxUserPrefs },
  });
}
