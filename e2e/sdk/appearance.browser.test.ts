/** Language and appearance of dialog and frame in a merchant's page (R-70). */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  fillCard,
  firstOf,
  holdResponses,
  launch,
  openTab,
  type Origin,
  type Service,
  sessionFrame,
  startOrigin,
  startService,
} from '../harness/index.js';
import { LOGO } from '../pages/stage.js';

/** A card of the stand-alone page. */
const LIGHT = 'rgb(255, 255, 255)';
const DARK = 'rgb(25, 33, 43)';
const NONE = 'rgba(0, 0, 0, 0)';
const BILL = { AccountNumber: '1001', Name: 'Ana Reyes', Balance: 7630, DueDate: '2026-12-09' };

let browser: Browser;
let merchant: Origin;
let service: Service;
let page: Page;

beforeAll(async () => {
  [browser, merchant] = await Promise.all([launch('chromium'), startOrigin({ host: 'localhost' })]);
  service = await startService({
    allowedOrigins: [merchant.url],
    businessUnit: { logoUrl: `data:image/svg+xml,${encodeURIComponent(LOGO)}` },
  });
  const body = (head: string): string => `<!doctype html><html lang="en"><title>Pay</title>${head}
    <link rel="icon" href="data:,"><h1>Pay your bill</h1><div id="here"></div><script src="${service.loaderUrl}"></script>`;
  merchant.routes['/'] = body('');
  merchant.routes['/logo.svg'] = { body: LOGO, type: 'image/svg+xml' };
  merchant.routes['/dark'] = body('<style>:root{color-scheme:dark}</style>');
  merchant.routes['/meta'] = body('<meta name="color-scheme" content="light dark">');
  merchant.routes['/part'] = body('<style>#here{color-scheme:dark;color:CanvasText}</style>');
  merchant.routes['/dark-by-colors'] = body('<style>body{background:#111;color:oklch(0.9 0 0)}</style>');
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([merchant?.stop(), service?.stop()]);
});
beforeEach(async () => {
  await page?.close();
  page = await openTab(browser);
});

interface Options {
  inline?: boolean;
  locale?: string;
  appearance?: Record<string, unknown>;
  /** Cents. */
  amount?: number;
  /** Whose bill it is. */
  account?: object;
}

async function start(...opened: Parameters<typeof open>): Promise<void> {
  await open(...opened);
  await sessionFrame(page).locator('#pay').waitFor();
}

async function open(
  path: string,
  { inline, amount = 1234, account, ...options }: Options = {},
  from: Service = service,
): Promise<void> {
  await page.goto(merchant.url + path);
  const charge = { Amount: amount, ...(account && { ClientAccount: account }) };
  const { sessionUrl } = await from.create('payment', { Charges: [charge] });
  await page.evaluate(
    ([url, options, inline]) => {
      const { Service } = globalThis as unknown as {
        Service: { completePayment(url: string, options: object): void };
      };
      const container = inline ? { container: document.querySelector('#here') } : {};
      Service.completePayment(url, { ...options, ...container });
    },
    [sessionUrl, options, inline ?? false] as const,
  );
}

const holdAll = (...addresses: string[]): Promise<(() => void)[]> =>
  Promise.all(addresses.map((address) => holdResponses(page, address)));

const scheme = () => sessionFrame(page).locator('html').getAttribute('data-scheme');
const background = () =>
  sessionFrame(page)
    .locator('html')
    .evaluate((html) => getComputedStyle(html).backgroundColor);

describe('R-70 the frame’s scheme is', () => {
  it.each(
    firstOf(2, [
      ['/', true, 'dark', undefined, 'light'],
      ['/dark', false, 'light', 'auto', 'dark'],
      ['/dark-by-colors', true, 'light', undefined, 'dark'],
      ['/meta', false, 'dark', undefined, 'dark'],
      ['/', false, 'dark', undefined, 'light'],
      ['/dark', true, 'light', undefined, 'dark'],
      ['/meta', true, 'light', undefined, 'light'],
      ['/part', true, 'light', undefined, 'dark'],
      ['/part', false, 'light', undefined, 'light'],
      ['/', true, 'light', 'dark', 'dark'],
      ['/dark', false, 'dark', 'light', 'light'],
    ] as const),
  )(
    'on %s (inline: %s) with a %s system and colorScheme %s: %s',
    { tags: ['thorough'] },
    async (path, inline, system, colorScheme, expected) => {
      await page.emulateMedia({ colorScheme: system });
      await start(path, { inline, ...(colorScheme === undefined ? {} : { appearance: { colorScheme } }) });
      expect(await scheme()).toBe(expected);
      expect(await background()).toBe(inline ? NONE : expected === 'light' ? LIGHT : DARK);
      expect(await page.locator('#here i, body > i').count()).toBe(0);
    },
  );
});

describe('R-70 an inline form', () => {
  const appearance = {
    background: 'transparent',
    text: '#112233',
    border: '#445566',
    fontFamily: 'Inter, "DejaVu Sans"',
    showHeader: false,
  };
  const styleOf = (selector: string, name: 'borderTopColor' | 'color' | 'fontFamily') =>
    sessionFrame(page)
      .locator(selector)
      .first()
      .evaluate((each, name) => getComputedStyle(each)[name as 'fontFamily'], name);

  it('matches the merchant’s page', { tags: ['thorough'] }, async () => {
    await start('/', { inline: true, appearance });
    expect(await background()).toBe(NONE);
    expect(await styleOf('.control', 'borderTopColor')).toBe('rgb(68, 85, 102)');
    expect(await styleOf('label', 'color')).toBe('rgb(17, 34, 51)');
    expect(await styleOf('html', 'fontFamily')).toBe('Inter, "DejaVu Sans", system-ui, sans-serif');
    expect(await sessionFrame(page).locator('.brand-name').isVisible()).toBe(false);
    expect(await sessionFrame(page).getByText('Test', { exact: true }).isVisible()).toBe(true);
  });

  it.each(
    firstOf(1, [
      ['24px', undefined, 'visible', '24px'],
      ['0px', undefined, 'visible', '5px'],
      ['24px', undefined, 'auto', '29px'],
      ['24px', 'transparent', 'visible', '24px'],
      ['24px', '#fdf6e3', 'visible', '44px'],
    ] as const),
  )(
    'in a page with a margin of %s, background %s and overflow %s starts at %s and scrolls nothing sideways',
    { tags: ['thorough'] },
    async (margin, background, overflow, expected) => {
      await page.addInitScript(
        ([margin, overflow]) =>
          addEventListener('DOMContentLoaded', () => {
            if (self !== top) return;
            Object.assign(document.body.style, { margin, overflowY: 'scroll' });
            document.getElementById('here')!.style.overflow = overflow;
          }),
        [margin, overflow] as const,
      );
      await start('/', { inline: true, appearance: background === undefined ? {} : { background } });
      const { x = 0 } = (await sessionFrame(page).locator('.amount').boundingBox()) ?? {};
      expect(`${x}px`).toBe(expected);
      const overhang = await page.evaluate(() => {
        const here = document.getElementById('here')!;
        return [document.documentElement.scrollWidth - innerWidth, here.scrollWidth - here.clientWidth];
      });
      expect(Math.max(overhang[0]!, overflow === 'visible' ? 0 : overhang[1]!)).toBeLessThanOrEqual(0);
    },
  );

  it(
    'is as wide as its container if only the config has a background color',
    { tags: 'thorough' },
    async () => {
      const colored = await startService({
        allowedOrigins: [merchant.url],
        businessUnit: { appearance: { background: '#fdf6e3' } },
      });
      merchant.routes['/colored'] = `<!doctype html><html lang="en"><title>Pay</title>
      <link rel="icon" href="data:,"><div id="here" style="margin:0 24px"></div><script src="${colored.loaderUrl}"></script>`;
      await start('/colored', { inline: true }, colored);
      expect(await background()).toBe('rgb(253, 246, 227)');
      const widthOf = (selector: string) =>
        page.locator(selector).evaluate((each) => each.getBoundingClientRect().width);
      expect(await widthOf('iframe')).toBe(await widthOf('#here'));
      await colored.stop();
    },
  );

  it(
    'becomes opaque, and stays readable, if the merchant’s page turns dark',
    { tags: ['thorough'] },
    async () => {
      await start('/', { inline: true });
      await page.evaluate(() => (document.documentElement.style.colorScheme = 'dark'));
      // Browsers put an opaque background behind a document whose scheme is not that of its frame.
      const ofFrame = await page.locator('iframe').evaluate((each) => getComputedStyle(each).colorScheme);
      expect([ofFrame, await scheme()]).toEqual(['dark', 'light']);
    },
  );

  it('has its own background color, also behind the button', { tags: 'thorough' }, async () => {
    await start('/', { inline: true, appearance: { background: '#fdf6e3' } });
    expect(await background()).toBe('rgb(253, 246, 227)');
    const bar = sessionFrame(page).locator('.pay-bar');
    expect(await bar.evaluate((each) => getComputedStyle(each).backgroundColor)).toBe('rgb(253, 246, 227)');
  });

  it(
    'uses the whole header, and leaves Back on Android to the merchant’s page',
    { tags: 'thorough' },
    async () => {
      await page.addInitScript(() => {
        const { CloseWatcher } = globalThis as unknown as { CloseWatcher: new () => object };
        Object.assign(globalThis, {
          CloseWatcher: class extends CloseWatcher {
            watched = (document.documentElement.dataset['watched'] = '');
          },
        });
      });
      const frame = sessionFrame(page).locator('html');
      const roomForClose = () =>
        frame.locator('.brand').evaluate((each) => getComputedStyle(each).paddingInlineEnd);
      const watches = () => frame.evaluate((html) => 'watched' in html.dataset);
      await start('/', { inline: true });
      expect([await roomForClose(), await watches()]).toEqual(['5px', false]);
      await start('/');
      expect([await roomForClose(), await watches()]).toEqual(['44px', true]);
    },
  );

  it('always names the payee in a dialog, on its own background', { tags: 'thorough' }, async () => {
    await start('/', { appearance });
    expect(await background()).toBe('rgb(255, 255, 255)');
    expect((await sessionFrame(page).locator('.brand').boundingBox())?.height).toBeGreaterThan(40);
  });
});

describe('R-70 the brand in the config', () => {
  const logo = (color: string): string =>
    `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="160" height="32"><rect width="160" height="32" fill="${color}"/></svg>`)}`;
  let branded: Service;
  beforeAll(async () => {
    branded = await startService({
      allowedOrigins: [merchant.url],
      businessUnit: {
        name: 'Harborlight Water',
        logoUrl: logo('black'),
        logoUrlDark: logo('white'),
        logoShape: 'wordmark',
        links: { terms: 'https://water.example/terms', privacy: 'https://water.example/privacy' },
        appearance: { accent: '#0a5c36', accentDark: '#7fd6a4', radius: 20 },
      },
      settings: { operator: { name: 'Harborlight Pay' } },
    });
    merchant.routes['/branded'] = `<!doctype html><html lang="en"><title>Pay</title>
      <link rel="icon" href="data:,"><div id="here"></div><script src="${branded.loaderUrl}"></script>`;
  });
  afterAll(() => branded?.stop());

  it.each(
    firstOf(1, [
      ['dark', 'rgb(127, 214, 164)', DARK, [255, 255, 255]],
      ['light', 'rgb(10, 92, 54)', LIGHT, [0, 0, 0]],
    ] as const),
  )('is used in a %s dialog', { tags: ['thorough'] }, async (colorScheme, accent, sheet, ink) => {
    await start('/branded', { appearance: { colorScheme } }, branded);
    const frame = sessionFrame(page);
    const colorOf = (selector: string) =>
      frame.locator(selector).evaluate((each) => getComputedStyle(each).backgroundColor);
    expect(await colorOf('#pay')).toBe(accent);
    expect(await background()).toBe(sheet);
    const dialog = page.getByRole('dialog');
    expect(
      await dialog.evaluate((each) => {
        const { borderRadius, backgroundColor } = getComputedStyle(each);
        return { borderRadius, backgroundColor };
      }),
    ).toEqual({ borderRadius: '24px', backgroundColor: sheet });

    const image = frame.locator('.brand-logo');
    const pixel = await image.evaluate(async (each: HTMLImageElement) => {
      await each.decode();
      const context = document.createElement('canvas').getContext('2d');
      context?.drawImage(each, 0, 0);
      return [...(context?.getImageData(5, 5, 1, 1).data ?? [])].slice(0, 3);
    });
    expect(pixel).toEqual(ink);
    expect((await image.boundingBox())?.width).toBeGreaterThan(120);
    // A wordmark contains the name.
    expect((await frame.locator('.brand-name').boundingBox())?.width).toBe(1);
    expect(await frame.locator('.legal').innerText()).toMatch(/Harborlight Pay\s+Terms\s+Privacy/);
  });

  it(
    'shades the whole edge of a receipt that continues below it, but never the last line',
    { tags: 'thorough' },
    async () => {
      await page.setViewportSize({ width: 1280, height: 540 });
      await start('/branded', {}, branded);
      const frame = sessionFrame(page);
      await fillCard(frame);
      await frame.locator('#pay').click();
      await frame.locator('.receipt').waitFor();
      await frame.locator('.legal').waitFor();
      const shadeWith = (left: number) =>
        frame.locator('html').evaluate(async (html, left) => {
          scrollTo(0, html.scrollHeight - innerHeight - left);
          await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
          return getComputedStyle(document.body, '::after').opacity;
        }, left);
      expect(await shadeWith(120)).toBe('1');
      const widths = await frame
        .locator('body')
        .evaluate((body) => [getComputedStyle(body, '::after').width, `${innerWidth}px`]);
      expect(widths[0]).toBe(widths[1]);
      for (const left of [44, 20, 0]) expect(await shadeWith(left), `${left} px left`).toBe('0');
    },
  );

  it('has an accent for each scheme of the payer on a stand-alone page', { tags: 'thorough' }, async () => {
    const { sessionUrl } = await branded.create('payment');
    await page.goto(sessionUrl);
    const colors: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      colors.push(await page.locator('#pay').evaluate((each) => getComputedStyle(each).backgroundColor));
    }
    expect(colors).toEqual(['rgb(10, 92, 54)', 'rgb(127, 214, 164)']);
  });

  it(
    'is overridden by the accent of the merchant’s page, in both schemes',
    { tags: 'thorough' },
    async () => {
      await start('/branded', { appearance: { colorScheme: 'dark', accent: '#aa2244' } }, branded);
      const pay = sessionFrame(page).locator('#pay');
      expect(await pay.evaluate((each) => getComputedStyle(each).backgroundColor)).toBe('rgb(170, 34, 68)');
    },
  );
});

it.each(
  firstOf(1, [
    ['at 400 % zoom', 320, 256],
    ['on a phone in landscape', 667, 375],
  ] as const),
)(
  'the close button is in the header of the form, which stays in view %s',
  { tags: ['thorough'] },
  async (_, width, height) => {
    await page.setViewportSize({ width, height });
    await start('/');
    const boxOf = async (target: Locator) => (await target.boundingBox()) ?? expect.fail('not shown');
    const close = await boxOf(page.getByRole('button', { name: 'Close' }));
    const header = sessionFrame(page).locator('.brand');
    const pay = sessionFrame(page).locator('#pay');
    await pay.scrollIntoViewIfNeeded();
    const [dialog, frame, brand, shown] = await Promise.all(
      [page.getByRole('dialog'), page.locator('iframe'), header, pay].map(boxOf),
    );
    // No band of the dialog is above or below the frame: it would stay lit behind the question before leaving.
    expect(frame).toEqual(dialog);
    expect(brand!.y).toBe(dialog!.y);
    expect(close.y + close.height).toBeLessThanOrEqual(brand!.y + brand!.height);
    expect(brand!.height).toBeLessThanOrEqual(56);
    expect(shown!.y + shown!.height).toBeLessThanOrEqual(height);
    for (const name of ['ZIP code', 'Card number']) {
      const field = sessionFrame(page).getByLabel(name);
      await field.focus();
      expect((await boxOf(field)).y, name).toBeGreaterThanOrEqual(brand!.y + brand!.height);
    }
  },
);

it('shows an amount of a million on one line of a small phone', { tags: 'thorough' }, async () => {
  await page.setViewportSize({ width: 320, height: 667 });
  await start('/', { amount: 100_000_000 });
  const lines = await sessionFrame(page)
    .locator('.summary .amount')
    .evaluate((amount) => {
      const text = document.createRange();
      text.selectNodeContents(amount.lastChild as Node);
      return [text.toString(), text.getClientRects().length];
    });
  expect(lines).toEqual(['$1,000,000.00', 1]);
});

it('dims the close button with the form while it asks whether to leave', { tags: 'thorough' }, async () => {
  await start('/');
  const opacity = () =>
    page.getByRole('button', { name: 'Close' }).evaluate((close) => getComputedStyle(close).opacity);
  const number = sessionFrame(page).getByLabel('Card number');
  await number.fill('4242');
  expect(await opacity()).toBe('1');
  await number.press('Escape');
  const stay = sessionFrame(page).getByRole('button', { name: 'Stay' });
  await stay.waitFor();
  await expect.poll(opacity).toBe('0.4');
  // On a phone, the question is a sheet like the form below it.
  await page.setViewportSize({ width: 375, height: 667 });
  const sheet = await stay.evaluate((each) => {
    const { left, right, bottom } = each.closest('dialog')!.getBoundingClientRect();
    return [left, innerWidth - right, innerHeight - bottom];
  });
  expect(sheet).toEqual([0, 0, 0]);
  await stay.click();
  await expect.poll(opacity).toBe('1');
});

it('has a close button as large as the text around it', { tags: 'thorough' }, async () => {
  await start('/');
  const close = page.getByRole('button', { name: 'Close' });
  const size = () =>
    close.evaluate((each) => {
      const { height, borderLeftWidth } = getComputedStyle(each, '::before');
      return [Number.parseFloat(height), Number.parseFloat(borderLeftWidth)] as const;
    });
  const [height, stroke] = await size();
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
  const [larger, bolder] = await size();
  expect(larger).toBeCloseTo(2 * height, 0);
  expect(bolder).toBe(2 * stroke);
});

it(
  'shows the close button in forced colors, which remove gradients and backgrounds',
  { tags: ['thorough'] },
  async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    await start('/');
    const lines = await page.getByRole('button', { name: 'Close' }).evaluate((button) => {
      const { backgroundColor } = getComputedStyle(button);
      return ['::before', '::after'].map((each) => {
        const { borderLeftColor, borderLeftWidth } = getComputedStyle(button, each);
        return [borderLeftWidth, borderLeftColor !== backgroundColor];
      });
    });
    expect(lines).toEqual([
      ['2px', true],
      ['2px', true],
    ]);
  },
);

describe('R-70 the dialog', () => {
  it('treats a null brand as omitted', { tags: 'thorough' }, async () => {
    await page.goto(merchant.url);
    const { sessionUrl } = await service.create('payment');
    await page.evaluate((url) => {
      const { Service } = globalThis as unknown as {
        Service: { completePayment(url: string, options: object): void };
      };
      Service.completePayment(url, { appearance: { brand: null } });
    }, sessionUrl);
    await sessionFrame(page).locator('#pay').waitFor();
  });

  it.each(firstOf(1, [false, true]))(
    'shows the brand of the merchant’s page in its first frame (warmed: %s)',
    async (isWarm) => {
      const brand = { name: 'Wasserversorgungszweckverband-Nordost-Harborlight', logoUrl: '/logo.svg' };
      const appearance = { colorScheme: 'dark', accent: '#0a7d32', accentDark: '#7fd6a4', brand };
      await page.goto(merchant.url);
      const { sessionUrl } = await service.create('payment');
      // Runs in the same task as the call, before any timer, request or rendering.
      const shown = await page.evaluate(
        async ([url, appearance, isWarm]) => {
          const { Service } = globalThis as unknown as {
            Service: {
              warm(options: object): Promise<void>;
              completePayment(url: string, options: object): void;
            };
          };
          if (isWarm) await Service.warm({ appearance });
          Service.completePayment(url, { appearance });
          const root = document.querySelector('dialog > [data-state=loading]')?.shadowRoot;
          const [logo, name] = root?.querySelectorAll<HTMLElement>('header > :not(button)') ?? [];
          const skeleton = root?.querySelector('output');
          const close = root?.querySelector('button');
          if (!skeleton || !name || !close) return null;
          return {
            logo: logo?.getAttribute('src'),
            name: name.innerText,
            isVisible: name.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
            isCloseInside: close.getBoundingClientRect().right <= root!.host.getBoundingClientRect().right,
            button: getComputedStyle(skeleton.querySelector('i:last-of-type')!).backgroundColor,
          };
        },
        [sessionUrl, appearance, isWarm] as const,
      );
      expect(shown).toEqual({
        logo: '/logo.svg',
        name: brand.name,
        isVisible: true,
        isCloseInside: true,
        button: 'rgb(127, 214, 164)',
      });
      await sessionFrame(page).locator('#pay').waitFor();
    },
  );

  it.each(
    firstOf<[string, number]>(1, [
      ['ar', 375],
      ['en', 320],
      ['en', 1280],
    ]),
  )(
    'R-71 shows the same skeleton before and after the page answers, then the form, in %s',
    async (locale, width) => {
      const [answer, respond, sendLogo] = await holdAll('**/s/stg_*', '**/api/session', '**/logo');
      await page.setViewportSize({ width, height: 1100 });
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await open('/', { locale, account: BILL });
      // The texts have arrived.
      await page.locator(`dialog[lang=${locale}]`).waitFor();
      const dialog = page.getByRole('dialog');
      const ofScript = await dialog.evaluate((each) => {
        const root = each.firstElementChild!.shadowRoot!;
        const { left, top } = each.getBoundingClientRect();
        const [title, ...bars] = Array.from(root.querySelectorAll('output i'), (bar) => {
          const box = bar.getBoundingClientRect();
          return { left: box.left - left, right: box.right - left, top: box.top - top };
        });
        const name = document.createRange();
        name.selectNodeContents(root.querySelector('header span')!);
        const middle = (box: DOMRect) => box.top + box.height / 2 - top;
        return {
          title,
          bars,
          name: middle(name.getBoundingClientRect()),
          close: middle(root.querySelector('button')!.getBoundingClientRect()),
        };
      });
      expect(Math.abs(ofScript.name - ofScript.close)).toBeLessThan(1);

      answer!();
      const frame = sessionFrame(page);
      await frame.locator('.skeleton .button').waitFor();
      const boxesOf = (selector: string) =>
        frame
          .locator(selector)
          .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON() as DOMRect));
      const placesOf = (boxes: readonly Pick<DOMRect, 'left' | 'right' | 'top'>[]) =>
        boxes.map(({ left, right, top }) => [top, left, right].map(Math.round));
      const [title, ...blocks] = await boxesOf('.skeleton i');
      expect(title!.top).toBe(ofScript.title!.top);
      const places = placesOf(blocks);
      // On small phones, the button sticks to the bottom of the frame.
      for (const [at, bar] of placesOf(ofScript.bars).entries())
        for (const [edge, place] of bar.entries())
          expect(Math.abs(places[at]![edge]! - place), `${at} ${edge}`).toBeLessThanOrEqual(
            width === 320 ? 4 : 0,
          );
      const [name] = await boxesOf('.brand-name bdi');
      expect(Math.abs(name!.top + name!.height / 2 - ofScript.name)).toBeLessThan(1);
      sendLogo!();
      await frame.locator('.brand-logo').evaluate((logo: HTMLImageElement) => logo.decode());
      expect((await boxesOf('.brand-name bdi'))[0]).toEqual(name);

      const heights = new Set<number>();
      await page.exposeFunction('reportHeight', (height: number) => heights.add(height));
      await dialog.evaluate((each) => {
        const report = () =>
          (globalThis as unknown as { reportHeight(height: number): void }).reportHeight(each.clientHeight);
        new ResizeObserver(report).observe(each);
      });
      respond!();
      await frame.locator('#pay').waitFor();
      // A choice is 4 px higher than a field.
      const inForm = await boxesOf('#payment-form :is(.choice, .control, .button)');
      expect(inForm).toHaveLength(blocks.length);
      for (const [at, block] of blocks.entries())
        for (const edge of ['top', 'bottom', 'left', 'right'] as const)
          expect(Math.abs(inForm[at]![edge] - block[edge]), `${at} ${edge}`).toBeLessThanOrEqual(4.5);
      const bodyHeight = await frame.locator('body').evaluate((each) => each.clientHeight);
      // Both are rounded.
      await expect
        .poll(() =>
          page.locator('iframe').evaluate((each, body) => Math.abs(each.clientHeight - body), bodyHeight),
        )
        .toBeLessThanOrEqual(1);
      // Before and after, at most.
      expect(heights.size).toBeLessThanOrEqual(2);
    },
  );

  it.each([
    [1280, 800],
    [375, 667],
  ] as const)(
    'R-71 has its height from the start if it shows a bill at %i × %i px',
    { tags: 'thorough' },
    async (width, height) => {
      const respond = await holdResponses(page, '**/api/session');
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await open('/', { account: BILL });
      const frame = sessionFrame(page);
      await frame.locator('.skeleton .button').waitFor();
      const dialog = page.getByRole('dialog');
      const before = await dialog.boundingBox();
      respond();
      await frame.locator('#pay').waitFor();
      const bodyHeight = await frame.locator('body').evaluate((each) => each.clientHeight);
      const shown = () =>
        page
          .locator('iframe')
          .evaluate((each) => getComputedStyle(each).getPropertyValue('--embedded-session-height'));
      await expect.poll(shown).toBe(`${bodyHeight}px`);
      expect(await dialog.boundingBox()).toEqual(before);
    },
  );

  it.each(
    firstOf(1, [
      [320, true],
      [375, false],
      [768, true],
    ]),
  )(
    'R-71 shows its button inline where it will be, before and after the page answers, at %i px with header: %s',
    { tags: ['thorough'] },
    async (width, showHeader) => {
      const [answer, respond] = await holdAll('**/s/stg_*', '**/api/session');
      await page.setViewportSize({ width, height: 812 });
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await open('/', { inline: true, account: BILL, appearance: { showHeader } });
      const host = page.locator('[data-state=loading]');
      const ofScript = await host.evaluate((each) => {
        const bar = each.shadowRoot!.querySelector('output i:last-of-type')!.getBoundingClientRect();
        return bar.top - each.getBoundingClientRect().top;
      });
      answer!();
      const topOf = (selector: string) =>
        sessionFrame(page)
          .locator(selector)
          .evaluate((each) => each.getBoundingClientRect().top);
      await sessionFrame(page).locator('.skeleton .button').waitFor();
      const frameHeight = async () => (await page.locator('iframe').boundingBox())!.height;
      const atFirst = await frameHeight();
      const top = await topOf('.skeleton .button');
      expect(Math.abs(top - ofScript)).toBeLessThanOrEqual(1);
      expect(top + 48).toBeLessThanOrEqual(atFirst);
      respond!();
      expect(Math.abs((await topOf('#pay')) - top)).toBeLessThanOrEqual(1);
      // A small phone needs one more row.
      expect(Math.abs((await frameHeight()) - atFirst)).toBeLessThanOrEqual(width === 320 ? 120 : 50);
    },
  );

  it('R-1 is a bottom sheet on phones, as high as its content', { tags: ['thorough'] }, async () => {
    await page.setViewportSize({ width: 375, height: 812 });
    await start('/');
    const dialog = page.getByRole('dialog');
    const frame = page.locator('iframe');
    const height = await sessionFrame(page)
      .locator('body')
      .evaluate((each) => each.clientHeight);
    await expect.poll(async () => (await frame.boundingBox())?.height).toBe(height);
    expect(await dialog.boundingBox()).toEqual({ x: 0, y: 812 - height, width: 375, height });
    await page.setViewportSize({ width: 375, height: 500 });
    await expect.poll(() => dialog.boundingBox()).toEqual({ x: 0, y: 20, width: 375, height: 480 });
    expect((await frame.boundingBox())?.height).toBe(480);
    expect(await dialog.evaluate((each) => getComputedStyle(each).borderRadius)).toBe('12px 12px 0px 0px');
  });

  it('uses the language of the hosted page', { tags: 'thorough' }, async () => {
    await start('/', { locale: 'ar' });
    const dialog = page.getByRole('dialog', { name: 'دفع آمن' });
    await dialog.waitFor();
    expect(await dialog.getAttribute('lang')).toBe('ar');
    expect(await dialog.getAttribute('dir')).toBe('rtl');
    expect(await page.locator('iframe').getAttribute('title')).toBe('دفع آمن');
    await page.getByRole('button', { name: 'إغلاق' }).waitFor();
    expect(await sessionFrame(page).locator('html').getAttribute('dir')).toBe('rtl');
  });

  it('ignores a language tag without a catalog', { tags: 'thorough' }, async () => {
    await start('/', { locale: 'tlh', appearance: { accent: 'red', radius: 99, font: 'Comic Sans' } });
    await page.getByRole('dialog', { name: 'Secure payment' }).waitFor();
    expect(await sessionFrame(page).locator('html').getAttribute('lang')).toBe('en');
  });

  it('keeps the secret out of the query', { tags: 'thorough' }, async () => {
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await start('/', { locale: 'fr', appearance: { accent: '#0a7d32', radius: 4, font: 'serif' } });
    const [address = ''] = requests.filter((url) => /\/s\/[^/]+$/.test(new URL(url).pathname));
    expect(Object.fromEntries(new URL(address).searchParams)).toEqual({
      lang: 'fr',
      scheme: 'light',
      accent: '#0a7d32',
      radius: '4',
      font: 'serif',
    });
  });
});
