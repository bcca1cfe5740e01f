/** Pictures of every state at 320 px and 1,280 px, light and dark, in English and Arabic, for a person to look at. */
import { mkdirSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import arAfter from '../../packages/service/src/browser/pages/kit/text/ar/after.js';
import arManage from '../../packages/service/src/browser/pages/kit/text/ar/manage.js';
import arPayment from '../../packages/service/src/browser/pages/kit/text/ar/payment.js';
import arProblem from '../../packages/service/src/browser/pages/kit/text/ar/problem.js';
import enAfter from '../../packages/service/src/browser/pages/kit/text/en/after.js';
import enManage from '../../packages/service/src/browser/pages/kit/text/en/manage.js';
import enPayment from '../../packages/service/src/browser/pages/kit/text/en/payment.js';
import enProblem from '../../packages/service/src/browser/pages/kit/text/en/problem.js';
import { launch } from '../harness/index.js';
import { blank, startStage } from './stage.js';
import { leave, STATES } from './states/index.js';

/** A message: its literal parts, and between them the places of what it is given. */
type Message = readonly string[];

const GIVEN = '\ue000';
/** What a page isolates a name with. */
const ISOLATES = '[\u2066-\u2069\u200e\u200f]*';

function messages(catalog: unknown): Message[] {
  if (typeof catalog === 'string') return [[catalog]];
  if (typeof catalog === 'function')
    return [(catalog(...Array.from({ length: catalog.length }, () => GIVEN)) as string).split(GIVEN)];
  return Object.values(catalog as object).flatMap(messages);
}

const ENGLISH = messages([enPayment, enManage, enAfter, enProblem]);
const ARABIC = messages([arPayment, arManage, arAfter, arProblem]);

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Where the states ask for English words, the Arabic ones that stand there. */
function inArabic(words: string | RegExp): string | RegExp {
  if (words.toString().length < 3) return words;
  const same = ENGLISH.findIndex((message) => message.length === 1 && message[0] === words);
  if (same >= 0) return ARABIC[same]?.[0] ?? words;
  const isString = typeof words === 'string';
  const partOf = ARABIC.filter((_, at) => {
    const english = ENGLISH[at]?.join('4242') ?? '';
    return isString ? english.includes(words) : words.test(english);
  });
  // What stands before the first thing given: the words after a number may have another form.
  if (partOf.length > 0)
    return new RegExp(
      partOf.map(([head = '', ...more]) => literal(head) + (head === '' ? more[0] : '')).join('|'),
    );
  const given = filled(isString ? words : words.source.replace('^', ''));
  return given === undefined ? words : new RegExp(given);
}

/** A message that is given something, and what it is given, which may be such a message again. */
function filled(words: string): string | undefined {
  const fitting = ENGLISH.flatMap((message, at) => {
    if (message.length === 1 || message.join('').trim().length < 4) return [];
    const found = new RegExp(`^${message.map(literal).join('(.+)')}$`).exec(words);
    return found === null ? [] : [{ at, given: found.slice(1), starts: message[0] !== '' }];
  });
  const best = fitting.find(({ starts }) => starts) ?? fitting[0];
  if (best === undefined) return undefined;
  const given = best.given.map((value) => filled(value) ?? (value.includes('\\') ? '.+' : literal(value)));
  return ARABIC[best.at]
    ?.map((part, at) => literal(part) + (at < given.length ? `${ISOLATES}${given[at]}${ISOLATES}` : ''))
    .join('');
}

/** From now on locators of this page's kind look for Arabic words. */
function lookInArabic(page: Page): void {
  for (const kind of [
    Object.getPrototypeOf(page),
    Object.getPrototypeOf(page.locator('html')),
  ] as Locator[]) {
    const { getByText, getByLabel, getByRole } = kind;
    kind.getByText = function (words, options) {
      return getByText.call(this, inArabic(words), options);
    };
    kind.getByLabel = function (words, options) {
      return getByLabel.call(this, inArabic(words), options);
    };
    kind.getByRole = function (role, options) {
      const named = options?.name === undefined ? {} : { name: inArabic(options.name) };
      return getByRole.call(this, role, { ...options, ...named });
    };
    const { filter } = kind;
    if (filter !== undefined)
      kind.filter = function (options) {
        const hasText = options?.hasText;
        return filter.call(this, hasText ? { ...options, hasText: inArabic(hasText) } : options);
      };
  }
}

/** Light and dark, at 320 px and 1,280 px. */
export async function takeEveryLook(folder: string, language: 'en' | 'ar', only = ''): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await launch('chromium');
  const stage = await startStage(browser);
  if (language === 'ar') {
    stage.page = await blank(browser, { locale: 'ar' });
    lookInArabic(stage.page);
  }
  stage.page.setDefaultTimeout(12_000);
  let taken = 0;
  try {
    for (const state of STATES.filter(({ name }) => only === '' || only.split(',').includes(name))) {
      try {
        const page = await state.reach(stage);
        for (const width of [320, 1280])
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.setViewportSize({ width, height: 800 });
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
            const natural = await page.evaluate(() => document.documentElement.scrollHeight);
            await page.setViewportSize({ width, height: Math.min(Math.max(natural, 600), 4000) });
            await page.evaluate(() => scrollTo(0, 0));
            await page.screenshot({
              path: `${folder}/${state.name}-${width}-${colorScheme}-${language}.png`,
            });
            taken++;
          }
        await leave(stage, page);
      } catch (error) {
        console.error(`${state.name} (${language}): ${String(error).split('\n').slice(0, 4).join(' ')}`);
        process.exitCode = 1;
        await stage.page.screenshot({ path: `${folder}/FAILED-${state.name}-${language}.png` });
        await leave(stage, stage.page);
      }
    }
    console.log(`${folder}: ${taken} pictures`);
  } finally {
    await stage.stop();
    await browser.close();
  }
}

await takeEveryLook(process.argv[3] ?? '', process.argv[4] === 'ar' ? 'ar' : 'en', process.argv[5]);
