/** Runs Lighthouse with desktop and phone settings on the hosted pages and on the demo's customer pages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStack, type DemoStack } from '../../tools/demo-stack.mjs';
import { freePort, launch, startService, type Browser, type Flow, type Service } from '../harness/index.js';
import { installed } from './installed.js';

interface Report {
  lhr: {
    runtimeError?: { message: string };
    categories: Record<string, { score: number | null }>;
    audits: Record<
      string,
      { score: number | null; scoreDisplayMode: string; title: string; numericValue?: number }
    >;
  };
}
type Lighthouse = (url: string, flags: unknown, config?: unknown) => Promise<Report>;

const { default: lighthouse } = await installed<{ default: Lighthouse }>('lighthouse');
const { default: desktop } = await installed<{ default: unknown }>(
  'lighthouse/core/config/desktop-config.js',
);
/** Ignored audits, because search engines must not index these pages and loopback has no TLS. */
const NOT_OURS = ['is-crawlable', 'is-on-https', 'redirects-http', 'meta-description', 'canonical'];
const CATEGORIES = ['accessibility', 'best-practices'];
/** Lighthouse's threshold for "good". */
const MAX_LAYOUT_SHIFT = 0.1;

let browser: Browser;
let port: number;
let service: Service;
let stack: DemoStack;
beforeAll(async () => {
  port = await freePort();
  browser = await launch('chromium', { args: [`--remote-debugging-port=${port}`] });
  service = await startService();
  stack = await startStack();
});
afterAll(async () => {
  await stack?.stop();
  await service?.stop();
  await browser?.close();
});

const FORMS = [
  ['desktop', desktop],
  ['phone', undefined],
] as const;

async function judged(url: string, form: unknown): Promise<string[]> {
  const flags = {
    port,
    onlyCategories: [...CATEGORIES, 'performance'],
    skipAudits: NOT_OURS,
    logLevel: 'error',
  };
  let { lhr } = await lighthouse(url, flags, form);
  // Lighthouse asks for a rerun if a busy machine kept it from seeing the page load.
  if (lhr.runtimeError) ({ lhr } = await lighthouse(url, flags, form));
  if (lhr.runtimeError) return [lhr.runtimeError.message];
  const shift = lhr.audits['cumulative-layout-shift']?.numericValue ?? Number.NaN;
  const low = CATEGORIES.filter((name) => lhr.categories[name]?.score !== 1);
  const failed = Object.entries(lhr.audits).filter(
    ([, { score, scoreDisplayMode }]) => scoreDisplayMode === 'binary' && score === 0,
  );
  return [
    ...low.map((name) => `${name} ${lhr.categories[name]?.score}: ${failed.map(([id]) => id).join(', ')}`),
    ...(shift <= MAX_LAYOUT_SHIFT ? [] : [`layout shift ${shift}`]),
  ];
}

describe.each(FORMS)('R-70 %s', (_, form) => {
  const FLOWS: Flow[] = [
    'payment',
    'autopay',
    'wallet',
    'paperless',
    'schedule-payment',
    'scheduled-payments',
    'notifications',
  ];
  it.each(FLOWS)('%s', async (flow) => {
    const { sessionUrl } = await service.create(flow);
    expect(await judged(sessionUrl, form)).toEqual([]);
  });

  it('the demo', async () => {
    expect(await judged(stack.reactUrl, form)).toEqual([]);
    expect(await judged(stack.plainUrl, form)).toEqual([]);
  });
});
