/**
 * Takes screenshots of every state at four widths, light and dark, in one language, for review by a person, and of some
 * also in forced colors, with large text and zoomed in. Also prints axe's violations at the narrowest and widest.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page, ViewportSize } from 'playwright-core';
import { LANGUAGES, type Language } from '../../packages/service/src/shared/languages.js';
import { textsOf } from '../../packages/service/src/texts/texts.js';
import { axeViolations, launch, openTab } from '../harness/index.js';
import { startStage } from './stage.js';
import { leave, STATES } from './states/index.js';

/** A message: its literal parts, and the placeholders between them. */
type Message = readonly string[];

const GIVEN = '\ue000';
/** Characters that a page isolates names with. */
const ISOLATES = '[\u2066-\u2069\u200e\u200f]*';

function messages(catalog: unknown): Message[] {
  if (typeof catalog === 'string') return [[catalog]];
  if (typeof catalog === 'function') return [(catalog(GIVEN, GIVEN, GIVEN, GIVEN) as string).split(GIVEN)];
  return Object.values(catalog as object).flatMap(messages);
}

const [, , , folder, language = 'en', only = ''] = process.argv;
if (folder === undefined || !LANGUAGES.includes(language as Language))
  throw new Error(`gallery every FOLDER ${LANGUAGES.join('|')} [STATE,…]`);

const ENGLISH = messages(textsOf('en'));
/** The messages on the page. */
const SHOWN = messages(textsOf(language as Language));

const WIDTHS = [320, 375, 768, 1280];
const SCHEMES = ['light', 'dark'] as const;
/** Also shown in each of the {@link SETTINGS}. */
const ADAPTED = new Set(['payment-opening', 'payment-problems', 'wallet', 'modal', 'modal-leaving']);
/** Also shown in windows of common sizes, as after the payer's last action: what must be in view without scrolling. */
const IN_WINDOW = /problem/;
const WINDOWS: readonly ViewportSize[] = [
  { width: 375, height: 667 },
  { width: 1280, height: 800 },
];
/** What a payer's system or browser can be set to, in light. */
const SETTINGS: Readonly<Record<string, { size?: ViewportSize; forcedColors?: 'active'; text?: string }>> = {
  'forced-colors': { forcedColors: 'active' },
  'text-200': { text: '200%' },
  // A window of 1,280 × 1,024 px.
  'zoom-400': { size: { width: 320, height: 256 } },
};

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Maps English words in the state definitions to the words on the page. */
function translated(words: Words): Words {
  if (words.toString().length < 3) return words;
  const same = SHOWN.filter((_, at) => ENGLISH[at]?.length === 1 && ENGLISH[at][0] === words);
  // Messages with the same English words may differ in another language.
  const said = new Set(same.map(([text = '']) => text));
  if (said.size === 1) return [...said][0] as string;
  if (said.size > 1) return new RegExp([...said].map((text) => `^${literal(text)}$`).join('|'));
  const isString = typeof words === 'string';
  const partOf = SHOWN.filter((_, at) => {
    const english = ENGLISH[at]?.join('4242') ?? '';
    return isString ? english.includes(words) : words.test(english);
  });
  // Uses only the text before the first placeholder, because words after a number may be inflected.
  if (partOf.length > 0)
    return new RegExp(
      partOf.map(([head = '', ...more]) => literal(head) + (head === '' ? more[0] : '')).join('|'),
    );
  const given = filled(isString ? words : words.source.replace('^', ''));
  return given === undefined ? words : new RegExp(given);
}

/** A message with arguments, which may be messages themselves. */
function filled(words: string): string | undefined {
  const matching = ENGLISH.flatMap((message, at) => {
    if (message.length === 1 || message.join('').trim().length < 4) return [];
    const found = new RegExp(`^${message.map(literal).join('(.+)')}$`).exec(words);
    return found === null ? [] : [{ at, given: found.slice(1), starts: message[0] !== '' }];
  });
  const best = matching.find(({ starts }) => starts) ?? matching[0];
  if (best === undefined) return undefined;
  const given = best.given.map((value) => filled(value) ?? (value.includes('\\') ? '.+' : literal(value)));
  return SHOWN[best.at]
    ?.map((part, at) => literal(part) + (at < given.length ? `${ISOLATES}${given[at]}${ISOLATES}` : ''))
    .join('');
}

type Finder = (this: unknown, words: unknown, options?: { name?: Words; hasText?: Words }) => unknown;
type Words = string | RegExp;

/** Translates the texts that locators of this page search for. */
function markTranslated(page: Page): void {
  for (const kind of [page, page.locator('html'), page.frameLocator('iframe')]) {
    const finders = Object.getPrototypeOf(kind) as Record<string, Finder | undefined>;
    const change = (name: string, how: (...args: Parameters<Finder>) => Parameters<Finder>): void => {
      const find = finders[name];
      // `Page` has no `filter`.
      if (find === undefined) return;
      finders[name] = function (...args) {
        return find.apply(this, how(...args));
      };
    };
    for (const name of ['getByText', 'getByLabel'])
      change(name, (words, options) => [translated(words as Words), options]);
    change('getByRole', (role, { name, ...options } = {}) => [
      role,
      name === undefined ? options : { ...options, name: translated(name) },
    ]);
    change('filter', (options) => {
      const { hasText, ...others } = options as { hasText?: Words };
      return [hasText ? { ...others, hasText: translated(hasText) } : others];
    });
  }
}

/** The height of a page once a frame in it has adapted to a new width. */
function heightOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const height = () => document.documentElement.scrollHeight;
    for (let last = 0; document.querySelector('iframe') && last !== height();) {
      last = height();
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    return height();
  });
}

async function setTextSize(page: Page, size: string): Promise<void> {
  for (const frame of page.frames())
    await frame.evaluate((size) => document.documentElement.style.setProperty('font-size', size), size);
}

/** Takes screenshots in each of the {@link WINDOWS}, with the focus in view, and returns their names. */
async function takeInWindows(page: Page, folder: string, state: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const taken: string[] = [];
  for (const size of WINDOWS) {
    await page.setViewportSize(size);
    await page.evaluate(() => document.activeElement?.scrollIntoView({ block: 'nearest' }));
    const name = `${state}-window-${size.width}-${language}.png`;
    await page.screenshot({ path: join(folder, name) });
    taken.push(name);
  }
  return taken;
}

/** Takes screenshots in each of the {@link SETTINGS}, and returns their names. */
async function takeAdapted(page: Page, folder: string, state: string): Promise<string[]> {
  const taken: string[] = [];
  for (const [setting, { size, forcedColors = 'none', text = '' }] of Object.entries(SETTINGS)) {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce', forcedColors });
    await setTextSize(page, text);
    await page.setViewportSize(size ?? { width: 375, height: 800 });
    if (size === undefined) await page.setViewportSize({ width: 375, height: await heightOf(page) });
    const name = `${state}-${setting}-${language}.png`;
    await page.screenshot({ path: join(folder, name) });
    taken.push(name);
  }
  await page.emulateMedia({ forcedColors: 'none' });
  await setTextSize(page, '');
  return taken;
}

/** Returns the file names of the screenshots. */
async function takeAll(browser: Browser, folder: string): Promise<string[]> {
  const stage = await startStage(browser);
  if (language !== 'en') {
    stage.page = await openTab(browser, { locale: language });
    markTranslated(stage.page);
  }
  stage.page.setDefaultTimeout(12_000);
  const taken: string[] = [];
  try {
    for (const state of STATES.filter(({ name }) => only === '' || only.split(',').includes(name))) {
      try {
        // The first width decides whether a list opens folded.
        await stage.page.setViewportSize({ width: 320, height: 800 });
        const page = await state.reach(stage);
        for (const width of WIDTHS)
          for (const colorScheme of state.scheme === undefined ? SCHEMES : [state.scheme]) {
            await page.setViewportSize({ width, height: 800 });
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
            // Set the window to the height of the content, so sticky elements are in their final place.
            const natural = await heightOf(page);
            await page.setViewportSize({ width, height: Math.max(natural, 600) });
            await page.evaluate(() => scrollTo(0, 0));
            const name = `${state.name}-${width}-${colorScheme}-${language}.png`;
            // Nothing is hovered.
            await page.mouse.move(0, 0);
            await page.screenshot({ path: join(folder, name) });
            taken.push(name);
            if (width !== 320 && width !== 1280) continue;
            for (const violation of await axeViolations(page)) {
              console.error(`${name}: ${violation}`);
              process.exitCode = 1;
            }
          }
        if (IN_WINDOW.test(state.name)) taken.push(...(await takeInWindows(page, folder, state.name)));
        if (ADAPTED.has(state.name)) taken.push(...(await takeAdapted(page, folder, state.name)));
        await leave(stage, page);
      } catch (error) {
        console.error(`${state.name} (${language}): ${String(error).split('\n').slice(0, 4).join(' ')}`);
        process.exitCode = 1;
        await leave(stage, stage.page);
      }
    }
    return taken;
  } finally {
    await stage.stop();
  }
}

/** Size of a contact sheet, px. */
const SHEET = { width: 1160, height: 1060, gap: 6, label: 16, least: 120 };

/** Arranges screenshots in columns on contact sheets. Returns the number of sheets. */
async function makeSheets(
  browser: Browser,
  folder: string,
  name: string,
  pictures: readonly string[],
): Promise<number> {
  const column = /-(768|1280)-/.test(pictures[0] ?? '') ? 382 : 226;
  const perSheet = Math.floor((SHEET.width + SHEET.gap) / (column + SHEET.gap));
  const columns: string[] = [];
  let filled = SHEET.height;
  for (const picture of pictures) {
    const bytes = readFileSync(join(folder, picture));
    const height = Math.round((bytes.readUInt32BE(20) * column) / bytes.readUInt32BE(16));
    for (let from = 0; from < height;) {
      const left = SHEET.height - filled - SHEET.label;
      if (left < Math.min(SHEET.least, height - from)) {
        columns.push('');
        filled = 0;
        continue;
      }
      const part = Math.min(left, height - from);
      columns.push(
        `${columns.pop()}<p>${picture}</p><div style="height:${part}px"><img src="data:image/png;base64,${bytes.toString('base64')}" style="margin-top:-${from}px"></div>`,
      );
      filled += part + SHEET.label;
      from += part;
    }
  }
  const page = await openTab(browser, { viewport: SHEET });
  let made = 0;
  for (; made * perSheet < columns.length; made++) {
    const shown = columns.slice(made * perSheet, (made + 1) * perSheet);
    await page.setContent(
      `<style>body{margin:0;display:flex;gap:${SHEET.gap}px;background:#808}section{width:${column}px}p{margin:0;overflow:hidden;background:#ff0;font:11px/${SHEET.label}px sans-serif;white-space:nowrap}div{overflow:hidden}img{display:block;width:100%}</style>${shown.map((each) => `<section>${each}</section>`).join('')}`,
    );
    await page.screenshot({ path: join(folder, `sheet-${name}-${made + 1}.png`) });
  }
  await page.close();
  return made;
}

mkdirSync(folder, { recursive: true });
const browser = await launch('chromium');
try {
  const taken = await takeAll(browser, folder);
  let sheets = 0;
  for (const width of WIDTHS)
    for (const scheme of SCHEMES) {
      const display = `${width}-${scheme}`;
      const shown = taken.filter((picture) => picture.includes(`-${display}-`));
      sheets += await makeSheets(browser, folder, `${display}-${language}`, shown);
    }
  for (const setting of ['window', ...Object.keys(SETTINGS)]) {
    const shown = taken.filter((picture) => picture.includes(`-${setting}-`));
    sheets += await makeSheets(browser, folder, `${setting}-${language}`, shown);
  }
  console.log(`${folder}: ${taken.length} pictures on ${sheets} sheets`);
} finally {
  await browser.close();
}
