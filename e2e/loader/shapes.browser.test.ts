// @module-tag thorough
/** Tests every shape of SDK with every event. README.md shows the same table. */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as LoaderModule from '@embedded-sessions/loader';
import type { EmbeddedService, FlowEvent, ServiceAdapter } from '@embedded-sessions/loader';
import { IS_MATRIX, MATRIX_ENGINES, launch, startOrigin, type Origin } from '../harness/index.js';
import {
  FRAMES,
  makeSdk,
  REPORTING,
  type SdkActions,
  type FrameKind,
  type Shape,
  type Reporting,
} from './shapes.js';

interface Outcome {
  status: string;
  by?: string;
  code?: string;
}
declare const window: Window &
  typeof globalThis & {
    L: typeof LoaderModule;
    makeSdk: typeof makeSdk;
    acts: SdkActions;
    service: EmbeddedService;
    /** Opens a session and stores its result under its name. */
    begin(name: string, container?: string): AbortController;
    outcomes: Record<string, Outcome>;
    seen: string[];
    unhandled: string[];
  };

const ENDINGS = [
  'pays',
  'closes it',
  'its frame disappears',
  'aborted, with `close()`',
  'aborted, without',
] as const;
type Ending = (typeof ENDINGS)[number];

const COMPLETED = '`completed`';
const CANCELED = '`canceled` by the payer';
const BY_MERCHANT = '`canceled` by the merchant';
const UNKNOWN = '`unknown`';
/** The next flow can open once the frame is removed. */
const UNKNOWN_AND_OCCUPIED = '`unknown`; the page stays occupied';
/** The merchant's adapter knows when its SDK has finished. */
const OWN = 'as the adapter says';

const EXPECTED: Record<Reporting, Record<Ending, string>> = {
  promise: {
    pays: COMPLETED,
    'closes it': CANCELED,
    'its frame disappears': UNKNOWN,
    'aborted, with `close()`': BY_MERCHANT,
    'aborted, without': UNKNOWN_AND_OCCUPIED,
  },
  'promise on opening': {
    pays: COMPLETED,
    'closes it': CANCELED,
    'its frame disappears': UNKNOWN,
    'aborted, with `close()`': BY_MERCHANT,
    'aborted, without': UNKNOWN_AND_OCCUPIED,
  },
  events: {
    pays: COMPLETED,
    'closes it': CANCELED,
    'its frame disappears': UNKNOWN,
    'aborted, with `close()`': BY_MERCHANT,
    'aborted, without': UNKNOWN_AND_OCCUPIED,
  },
  callbacks: {
    pays: COMPLETED,
    'closes it': CANCELED,
    'its frame disappears': OWN,
    'aborted, with `close()`': OWN,
    'aborted, without': UNKNOWN_AND_OCCUPIED,
  },
  nothing: {
    pays: UNKNOWN,
    'closes it': UNKNOWN,
    'its frame disappears': UNKNOWN,
    'aborted, with `close()`': UNKNOWN,
    'aborted, without': UNKNOWN_AND_OCCUPIED,
  },
};
const RESULTS: Record<string, Outcome> = {
  [COMPLETED]: { status: 'completed' },
  [CANCELED]: { status: 'canceled', by: 'payer' },
  [BY_MERCHANT]: { status: 'canceled', by: 'merchant' },
  [UNKNOWN]: { status: 'unknown' },
  [UNKNOWN_AND_OCCUPIED]: { status: 'unknown' },
};

/** In a closed shadow root, the loader can observe only messages, so an SDK without messages is unobservable. */
const isHidden = (reporting: Reporting, happening: Ending, frame: FrameKind) =>
  frame === 'in a closed shadow root' &&
  (reporting === 'nothing' || happening === 'its frame disappears' || happening === 'aborted, without');

/**
 * The whole matrix takes a minute and a half on two cores; run it with `npx -y pnpm@12 browser`. In the test command, each row
 * has just enough frame kinds to cover every message kind and every event.
 */
const STEP = IS_MATRIX ? 1 : 4;

/**
 * Dozens of frames wait concurrently. Polling on every animation frame would take half of this file's time, and Firefox
 * renders off-screen frames only once a second.
 */
const POLL_OPTIONS = { polling: 50, timeout: 50_000 };

let merchant: Origin;
let elsewhere: Origin;
beforeAll(async () => {
  const frame = '<!doctype html><title>Session</title><button>Pay</button>';
  elsewhere = await startOrigin({ host: 'localhost', routes: { '/s/1': frame } });
  merchant = await startOrigin({
    folders: { '/loader/': 'packages/loader/dist/' },
    routes: {
      '/s/1': frame,
      '/': `<!doctype html><title>Merchant</title><body style="min-height:100vh"><div id="inline"></div>
        <script>window.unhandled = []; addEventListener('unhandledrejection', ({ reason }) => unhandled.push(String(reason)));</script>
        <script type="module" src="/start.js"></script>`,
      '/start.js': {
        type: 'text/javascript',
        body: `import * as L from '/loader/index.js'; window.L = L; window.makeSdk = ${makeSdk.toString()};`,
      },
    },
  });
});
afterAll(async () => {
  await merchant.stop();
  await elsewhere.stop();
});

it('README.md shows the table', () => {
  const readme = readFileSync(new URL('../../packages/loader/GUIDE.md', import.meta.url), 'utf8');
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = [
    row(['the SDK reports by', ...ENDINGS]),
    row(['the SDK reports by', ...ENDINGS].map(() => '---')).replaceAll(' --- ', '---'),
    ...(Object.keys(REPORTING) as Reporting[]).map((reporting) =>
      row([REPORTING[reporting], ...ENDINGS.map((happening) => EXPECTED[reporting][happening])]),
    ),
  ];
  expect(readme).toContain(table.join('\n'));
  for (const frame of FRAMES) expect(readme).toContain(frame);
});

describe.each(MATRIX_ENGINES)('shapes of SDK in %s', (engine) => {
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    browser = await launch(engine);
    context = await browser.newContext();
  });
  afterAll(() => browser?.close());

  /** Loads a page with an SDK of this shape. */
  const stage = async (page: Frame, shape: Omit<Shape, 'elsewhere'>): Promise<void> => {
    await page.waitForFunction(() => Object.hasOwn(window, 'makeSdk'), null, POLL_OPTIONS);
    await page.evaluate(
      async ([shape, origin]) => {
        window.acts = window.makeSdk(shape);
        interface CallbackSdk {
          completePayment(url: string, callbacks: Record<string, (value?: unknown) => void>): void;
        }
        const adapter: ServiceAdapter = (sdk, { url, emit }) => ({
          done: new Promise((resolve) =>
            (sdk as CallbackSdk).completePayment(url, {
              onPaid: (detail) => emit({ type: 'completed', detail }),
              onClosed: (result) => resolve((result ?? { status: 'unknown' }) as never),
            }),
          ),
        });
        window.service = await window.L.loadService({
          environment: 'staging',
          loaderUrl: `${origin}/app/embedded.loader.js`,
          ...(shape.reporting === 'callbacks' && { adapter }),
        });
        window.outcomes = {};
        window.seen = [];
        window.begin = (name, container) => {
          const controller = new AbortController();
          window.service
            .completePayment(`${origin}/s/${name}#secret`, {
              signal: controller.signal,
              ...(container && { container: document.querySelector(container)! }),
              onEvent: ({ type }: FlowEvent) => void window.seen.push(`${name} ${type}`),
            })
            .then(
              (result) => (window.outcomes[name] = result),
              ({ code }: { code: string }) => (window.outcomes[name] = { status: 'failed', code }),
            );
          return controller;
        };
      },
      [{ ...shape, elsewhere: elsewhere.url }, merchant.url] as const,
    );
  };
  const outcomeOf = async (page: Frame, name: string) => {
    await page.waitForFunction((name) => window.outcomes[name], name, POLL_OPTIONS);
    return page.evaluate((name) => window.outcomes[name], name);
  };
  const begin = async (page: Frame, name: string, container?: string) => {
    await page.evaluate(
      ([name, container]) => {
        delete document.documentElement.dataset['shown'];
        Object.assign(window, { controller: window.begin(name!, container ?? undefined) });
      },
      [name, container ?? null],
    );
    await page.waitForFunction(() => document.documentElement.dataset['shown'], null, POLL_OPTIONS);
  };
  const abort = (page: Frame) =>
    page.evaluate(() => (window as unknown as { controller: AbortController }).controller.abort());
  const act = (page: Frame, act: 'pays' | 'closes' | 'vanishes') =>
    page.evaluate((act) => window.acts[act](), act);
  /** Opens another session. Returns true if it is refused because a flow is already open. */
  const isTaken = async (page: Frame, name: string) => {
    await page.evaluate((name) => void window.begin(name), name);
    return (await outcomeOf(page, name))?.code === 'flow_in_progress';
  };
  /** Runs every frame shape concurrently, each on its own merchant page with its own loader. */
  const inAll = async (
    frames: readonly FrameKind[],
    run: (page: Frame, frame: FrameKind) => Promise<unknown>,
  ) => {
    const page = await context.newPage();
    await page.goto(`${merchant.url}/s/1`);
    const outcomes = frames.map(async (frame) => {
      const element = await page.evaluateHandle(() => {
        const merchant = Object.assign(document.createElement('iframe'), {
          src: '/',
          width: 400,
          height: 300,
        });
        document.body.append(merchant);
        return merchant;
      });
      return [frame, await run((await element.contentFrame())!, frame)] as const;
    });
    const results = Object.fromEntries(await Promise.all(outcomes));
    await page.close();
    return results;
  };

  const cases = (Object.keys(REPORTING) as Reporting[])
    .flatMap((reporting, row) =>
      ENDINGS.flatMap((happening, column) => {
        if (EXPECTED[reporting][happening] === OWN) return [];
        const isTaken = (index: number) => index % STEP === (row + 5 * column) % STEP;
        const frames = FRAMES.filter(
          (frame, index) => isTaken(index) && !isHidden(reporting, happening, frame),
        );
        return [[reporting, happening, frames] as const];
      }),
    )
    .filter(([, , frames]) => frames.length > 0);
  // Start this one first, because it mostly waits.
  it.concurrent('a late event of an aborted flow never settles the next one', async () => {
    const outcomes = await inAll(
      ['at the session’s origin', 'hidden instead of removed'],
      async (page, frame) => {
        await stage(page, { reporting: 'events', frame, closes: false });
        await begin(page, '1');
        await abort(page);
        expect(await outcomeOf(page, '1')).toEqual({ status: 'unknown' });
        expect(await isTaken(page, '2')).toBe(true);
        // Still on the page, so it belongs to the first flow.
        await page.evaluate(() => window.acts.say('completed', { type: 'completed', detail: 'bill 1' }));
        await act(page, 'vanishes');
        await reopens(page);
        await page.evaluate(() => window.acts.say('completed', { type: 'completed', detail: 'bill 3' }));
        await act(page, 'vanishes');
        const third = await outcomeOf(page, '3');
        // Removed without a message, so the next verdict may belong to it.
        await begin(page, '4');
        await act(page, 'vanishes');
        expect(await outcomeOf(page, '4')).toEqual({ status: 'unknown' });
        await begin(page, '5');
        await page.evaluate(() => window.acts.say('completed', { type: 'completed', detail: 'bill 4' }));
        await act(page, 'vanishes');
        const fifth = await outcomeOf(page, '5');
        await begin(page, '6');
        await page.evaluate(() => window.acts.say('completed', { type: 'completed', sessionId: '5' }));
        await page.evaluate(() =>
          window.acts.say('completed', { type: 'completed', sessionId: '6', detail: 6 }),
        );
        await act(page, 'vanishes');
        return [third, fifth, await outcomeOf(page, '6')];
      },
    );
    expect(Object.values(outcomes)).toEqual(
      [0, 1].map(() => [
        { status: 'completed', detail: 'bill 3' },
        { status: 'unknown' },
        { status: 'completed', sessionId: '6', detail: 6 },
      ]),
    );
  });

  it.concurrent.each(cases)('an SDK that reports by %s: %s', async (reporting, happening, frames) => {
    const expected = EXPECTED[reporting][happening];
    const outcomes = await inAll(frames, async (page, frame) => {
      await stage(page, { reporting, frame, closes: happening === 'aborted, with `close()`' });
      await begin(page, '1');
      if (happening === 'pays') await act(page, 'pays');
      else if (happening === 'closes it') await act(page, 'closes');
      else if (happening === 'its frame disappears') await act(page, 'vanishes');
      else await abort(page);
      const { status, by } = (await outcomeOf(page, '1'))!;
      const taken = expected === UNKNOWN_AND_OCCUPIED && (await isTaken(page, '2'));
      if (expected === UNKNOWN_AND_OCCUPIED) await act(page, 'vanishes');
      // The page is free for the next flow, which gets its own result.
      const isFree = reporting !== 'callbacks' && (await reopens(page));
      const unhandled = await page.evaluate(() => window.unhandled);
      return { status, by, taken, isFree, unhandled };
    });
    const result = {
      ...RESULTS[expected],
      taken: expected === UNKNOWN_AND_OCCUPIED,
      isFree: reporting !== 'callbacks',
      unhandled: [],
    };
    expect(outcomes).toEqual(Object.fromEntries(frames.map((frame) => [frame, result])));
  });

  /** Opens session 3 as soon as possible. */
  const reopens = (page: Frame) =>
    page.evaluate(async () => {
      const soon = () => new Promise((resolve) => setTimeout(resolve, 20));
      for (;;) {
        delete window.outcomes['3'];
        window.begin('3');
        while (!window.seen.includes('3 opened') && !window.outcomes['3']) await soon();
        if (window.seen.includes('3 opened')) return true;
      }
    });

  it('removes the secret from everything that the SDK reports', async () => {
    const outcomes = await inAll(['later'], async (page) => {
      await stage(page, { reporting: 'promise', frame: 'later', closes: false });
      return page.evaluate(async () => {
        const url = `${location.origin}/s/1#c2VjcmV0LXNlY3JldA`;
        const { Service } = window as unknown as { Service: { completePayment(): unknown } };
        const cycle: Record<string, unknown> = { url };
        cycle['self'] = cycle;
        const spellings = [
          url,
          '/s/1#c2VjcmV0LXNlY3JldA',
          'c2VjcmV0LXNlY3JldA',
          url.replace('http://', ''),
          encodeURIComponent(url),
          encodeURIComponent(encodeURIComponent(url)),
        ];
        const errors = spellings.flatMap((text): unknown[] => [
          new Error(`cannot open "${text}": refused`),
          text,
          new Error('no', { cause: new Error('why', { cause: new Error(text) }) }),
          Object.assign(new Error('no'), { url: text, deep: [{ [text]: cycle }], details: { reason: text } }),
          Object.assign(new Error('no'), { code: 'environment_mismatch', details: { expected: text } }),
          new DOMException(text, 'NetworkError'),
          new AggregateError([new Error(text)], text),
        ]);
        const seen: string[] = [];
        for (const error of errors) {
          Service.completePayment = () => Promise.reject(error);
          const failed = await window.service
            .completePayment(url, { onEvent: (event) => void seen.push(JSON.stringify(event)) })
            .catch((each: unknown) => each);
          for (let each = failed; each instanceof Error; each = each.cause)
            seen.push(
              each.message,
              String(each.stack),
              JSON.stringify(Object.getOwnPropertyNames(each).map((key) => each[key as 'message'])),
              JSON.stringify(each),
            );
        }
        const detail = { url, amount: 12, when: '2026-11-22', receipt: '/receipts/s/1x' };
        Service.completePayment = () => Promise.resolve({ status: 'completed', detail });
        const result = await window.service.completePayment(url);
        return { seen: seen.join('\n'), count: seen.length, result };
      });
    });
    const { seen, count, result } = outcomes['later'] as { seen: string; count: number; result: unknown };
    expect(count).toBeGreaterThan(200);
    expect(seen).not.toMatch(/c2VjcmV0/);
    expect(JSON.stringify(result)).not.toMatch(/c2VjcmV0/);
    expect(result).toMatchObject({
      status: 'completed',
      detail: { amount: 12, when: '2026-11-22', receipt: '/receipts/s/1x' },
    });
  });
});
