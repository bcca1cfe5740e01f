/** Chromium and Firefox ESR, driven by Playwright. A test file asks for each once and creates contexts as needed. */
import {
  chromium,
  firefox,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type LaunchOptions,
  type Page,
  type ViewportSize,
} from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findEngine } from '../../tools/engines.mjs';

export type Engine = 'chromium' | 'firefox';

/** The installed engines. The test command lists the missing ones. */
const ENGINES: readonly Engine[] = (['chromium', 'firefox'] as const).filter(
  (engine) => findEngine(engine) !== null,
);

/** Set by `npx -y pnpm@12 browser`, which runs every test in every engine and size. The test command has five minutes. */
export const IS_MATRIX = process.env['MATRIX'] === 'all';

/** Returns all cases for the whole matrix, and the first ones for the test command: `it.each(firstOf(2, CASES))`. */
export const firstOf = <T>(count: number, cases: readonly T[]): readonly T[] =>
  IS_MATRIX ? cases : cases.slice(0, count);

/** For behavior that differs between engines. The whole matrix tests all engines, the test command the first one. */
export const MATRIX_ENGINES: readonly Engine[] = IS_MATRIX ? ENGINES : ENGINES.slice(0, 1);

/**
 * Chromium uses only the last of several such switches, so this repeats Playwright's own list, except for Edge and macOS.
 * The two omnibox features would start two more renderers per window, which take half of a test's CPU time.
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
 * Uses Chromium's headless shell, which opens a page in half the CPU time. `npx -y pnpm@12 browser` uses the full browser.
 */
const SHELL = IS_MATRIX ? null : findEngine('shell');

const SHELL_ARGUMENTS: readonly string[] = [
  // Without this limit, a blank page would get its own process, which is never used again. Cross-site frames always get
  // their own process.
  '--renderer-process-limit=1',
  // Pages of tests live for a second or two, too short for optimized code.
  '--js-flags=--single-threaded,--no-opt,--no-maglev',
];

interface Options extends LaunchOptions {
  /** For features that the headless shell lacks, such as the back/forward cache. */
  needsWindow?: boolean;
}

/** Vitest ends its workers; other programs end when their last browser is closed. */
const IS_WORKER = process.env['VITEST_POOL_ID'] !== undefined;
let shared: Promise<Browser> | undefined;

/** The test files of a worker share a Chromium without options, whose `close` closes its contexts. */
export function launch(engine: Engine, options?: Options): Promise<Browser> {
  if (engine !== 'chromium' || options !== undefined || !IS_WORKER) return start(engine, options);
  return (shared ??= startShared());
}

async function startShared(): Promise<Browser> {
  const browser = await start('chromium');
  browser.once('disconnected', () => (shared = undefined));
  return Object.assign(browser, {
    close: async () => {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
  });
}

const contexts = new WeakMap<Browser, Map<string, Promise<BrowserContext>>>();

interface TabOptions extends Pick<BrowserContextOptions, 'locale'> {
  viewport?: ViewportSize;
  forcedColors?: 'active';
  reducedMotion?: 'reduce';
}

/**
 * Opens a tab for a payer in New York, unless the options say otherwise. Tabs of one locale share cookies, caches and
 * processes, because a separate context takes as much CPU time as a visit. Close the tab, not its context.
 */
export async function openTab(
  browser: Browser,
  { viewport, forcedColors, reducedMotion, ...options }: TabOptions = {},
): Promise<Page> {
  const open = contexts.get(browser) ?? new Map<string, Promise<BrowserContext>>();
  contexts.set(browser, open);
  const key = JSON.stringify(options);
  let context = open.get(key);
  if (context === undefined) {
    context = browser
      .newContext({ locale: 'en-US', timezoneId: 'America/New_York', ...options })
      .then(keepProcesses);
    open.set(key, context);
    (await context).once('close', () => open.delete(key));
  }
  const page = await (await context).newPage();
  if (viewport !== undefined) await page.setViewportSize(viewport);
  if (forcedColors ?? reducedMotion)
    await page.emulateMedia({ forcedColors: forcedColors ?? null, reducedMotion: reducedMotion ?? null });
  return page;
}

/**
 * Opens a page of each site that tests visit. Chromium loads later pages of the site in the same process instead of starting
 * one for each.
 */
async function keepProcesses(context: BrowserContext): Promise<BrowserContext> {
  for (const site of ['http://127.0.0.1/', 'http://localhost/']) {
    const page = await context.newPage();
    await page.route(site, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await page.goto(site);
  }
  return context;
}

async function start(engine: Engine, { needsWindow = false, ...options }: Options = {}): Promise<Browser> {
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
