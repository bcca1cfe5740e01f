/** The payment form on a phone: its first screen, Enter, and the keyboard's Next. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LANGUAGES } from '../../packages/service/src/shared/languages.js';
import { textsOf } from '../../packages/service/src/texts/texts.js';
import {
  BUSINESS_UNIT,
  fillCard,
  firstOf,
  holdResponses,
  launch,
  openTab,
  type Service,
  startService,
} from '../harness/index.js';
import { focusOn } from './keyboard.js';
import { someAccount, someCustomer, visit } from './stage.js';
import { changeSession } from './states/reach.js';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  [browser, service] = await Promise.all([launch('chromium'), startService({ otherUnits: UNITS })]);
});
afterAll(async () => {
  await service?.stop();
  await browser?.close();
});

/** Differ from the service's first business unit in one setting. */
const ADJUSTABLE = 'adjustable';
const WITH_INVOICE = 'with-invoice';
const LINKED = 'linked';
const WITH_FIELDS = 'with-fields';
const name = 'Harborlight Water';
const UNITS = [
  { slug: ADJUSTABLE, name, allowAmountAdjustment: true },
  {
    slug: WITH_INVOICE,
    name,
    allowAmountAdjustment: true,
    paymentFields: [{ key: 'Invoice', label: 'Invoice number', required: false }],
  },
  {
    slug: LINKED,
    name,
    links: {
      account: 'https://shop.example/account',
      terms: 'https://shop.example/terms',
      help: 'https://shop.example/help',
    },
  },
  {
    slug: WITH_FIELDS,
    name,
    paymentFields: [
      { key: 'invoice', label: 'Invoice number', required: true },
      { key: 'memo', label: 'Memo' },
    ],
  },
];

const BILL = {
  Charges: [
    {
      Amount: 7630,
      Description: 'Water and sewer, November',
      ClientAccount: { AccountNumber: 'HW-20481', Name: 'Dana Reyes', DueDate: '2030-12-05' },
    },
  ],
  ClientReference: 'INV-179546207831',
};

async function openOn(
  viewport: { width: number; height: number },
  body: Record<string, unknown>,
): Promise<Page> {
  const page = await openTab(browser, { viewport });
  await visit(page, (await service.create('payment', body)).sessionUrl);
  await page.getByRole('button', { name: /^Pay \$/ }).waitFor();
  return page;
}

const boxOf = async (target: Locator) => (await target.boundingBox()) ?? expect.fail('not shown');

it(
  'Next moves to the next empty field, and submits only from the last one',
  { tags: ['thorough'] },
  async () => {
    const page = await openOn({ width: 375, height: 667 }, {});
    await page.getByLabel('Name on card').fill('Dana Reyes');
    for (const [field, value, next] of [
      ['Card number', '4242424242424242', 'Expiry date'],
      ['Expiry date', '12 / 34', 'Security code'],
      // The name is already filled in.
      ['Security code', '123', 'ZIP code'],
    ] as const) {
      await page.getByLabel(field).fill(value);
      await page.getByLabel(field).press('Enter');
      await focusOn(page.getByLabel(next));
    }
    await page.getByLabel('ZIP code').fill('04101');
    // No field below is empty, but this is not the last field. The key is held, so it repeats on the button.
    await page.getByLabel('Card number').focus();
    await page.keyboard.down('Enter');
    await focusOn(page.getByRole('button', { name: /^Pay \$/ }));
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    expect(await page.locator('form [aria-disabled=true]').count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);

    await page.getByLabel('ZIP code').press('Enter');
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    await page.close();
  },
);

it('shows the card number above the fold on a small phone', async () => {
  const page = await openOn({ width: 375, height: 667 }, BILL);
  const [number, bar] = await Promise.all([
    boxOf(page.getByLabel('Card number')),
    boxOf(page.locator('.pay-bar')),
  ]);
  expect(number.y + number.height).toBeLessThanOrEqual(bar.y);
  const [card, bank] = await Promise.all(
    ['Card', 'Bank account'].map((name) => boxOf(page.locator('.choice').filter({ hasText: name }))),
  );
  expect(card?.y).toBe(bank?.y);
  await page.getByText('Details', { exact: true }).click();
  await page.getByText('INV-179546207831').waitFor();
  await page.close();
});

it.each([375, 320, 1280])(
  'lines the methods up with the fields below them at %i px',
  { tags: 'thorough' },
  async (width) => {
    const page = await openTab(browser, { locale: 'es', viewport: { width, height: 800 } });
    await visit(page, (await service.create('payment')).sessionUrl);
    const columnsOf = (selector: string) =>
      page.locator(selector).evaluateAll((all) =>
        all.map((each) => {
          const { left, right } = each.getBoundingClientRect();
          return [Math.round(left), Math.round(right)];
        }),
      );
    expect(await columnsOf('.choice')).toEqual(await columnsOf('.pair:not(.wide) .control'));
    for (const radio of await page.getByRole('radio').all())
      expect(await radio.evaluate((each) => getComputedStyle(each).opacity)).toBe('1');
    await page.close();
  },
);

it('fits a minimal form in 768 px', { tags: ['thorough'] }, async () => {
  const page = await openOn({ width: 375, height: 768 }, {});
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(768);
  await page.close();
});

const ACCOUNTS = {
  Charges: [
    { Amount: 8420, ClientAccount: { AccountNumber: 'HW-20481', Name: 'Dana Reyes', Balance: 12_000 } },
    { Amount: 313_150, ClientAccount: { AccountNumber: 'HW-20482', Name: 'Boat house' } },
    { Amount: 250, Description: 'Paper bill' },
  ],
};

it.each(firstOf(2, ['ar', 'en-US', 'fr-US']))(
  'ends fields, amounts and hints at the edge of the summary, and leaves room for names, in %s',
  { tags: ['thorough'] },
  async (locale) => {
    const page = await openTab(browser, { locale, viewport: { width: 375, height: 667 } });
    const body = { ...ACCOUNTS, BusinessUnitSlug: ADJUSTABLE };
    await visit(page, (await service.create('payment', body)).sessionUrl);
    await page.getByRole('checkbox').last().uncheck();
    const { edges, widths } = await page.locator('.summary').evaluate((summary) => {
      const side = document.dir === 'rtl' ? 'left' : 'right';
      const edgeOf = (all: string, rect: (each: Element) => DOMRect) =>
        [...summary.querySelectorAll(all)].map(
          (each) => rect(each)[side] - summary.getBoundingClientRect()[side],
        );
      const text = document.createRange();
      const textRect = (each: Element) => {
        text.selectNodeContents(each);
        return text.getBoundingClientRect();
      };
      const digitsRect = (each: Element) => {
        const { x, y, width, height } = each.getBoundingClientRect();
        const { paddingLeft, paddingRight } = getComputedStyle(each);
        const [left, right] = [Number.parseFloat(paddingLeft), Number.parseFloat(paddingRight)];
        return new DOMRect(x + left, y, width - left - right, height);
      };
      const controls = [...summary.querySelectorAll('.control')];
      // The sign ends the amount in French, and in Arabic it is at the left.
      const signs = edgeOf('.control :is(.prefix, .sign)', textRect);
      const isSignLast = side === 'left' || summary.querySelector('.control .sign') !== null;
      const ends = isSignLast ? signs : edgeOf('.control input', digitsRect);
      return {
        edges: [
          ...edgeOf('.control', (each) => each.getBoundingClientRect()),
          ...edgeOf('.hint', textRect),
          // In one column with the digits in the fields.
          ...edgeOf('.money', textRect).map((edge) => edge - ends[0]!),
        ],
        widths: controls.map((each) => each.getBoundingClientRect().width),
      };
    });
    expect(edges.length).toBe(5);
    expect(Math.max(...edges.map(Math.abs)), edges.join(' ')).toBeLessThan(1.5);
    expect(Math.max(...widths)).toBeLessThanOrEqual(116);
    await page.close();
  },
);

it('shows an amount’s sign next to its digits in Arabic', { tags: 'thorough' }, async () => {
  const page = await openTab(browser, { locale: 'ar', viewport: { width: 375, height: 667 } });
  const body = { ClientAccount: { AccountNumber: 'HW-20481', Balance: 8420 } };
  await visit(page, (await service.create('schedule-payment', body)).sessionUrl);
  const control = page.locator('.control').filter({ has: page.locator('.prefix') });
  /** Left and right edge of the sign, left edge of the digits, right edge of the field, px. */
  const edges = () =>
    control.evaluate((each) => {
      const sign = document.createRange();
      sign.selectNodeContents(each.querySelector('.prefix') as Element);
      const { right } = sign.getBoundingClientRect();
      const input = each.querySelector('input') as HTMLInputElement;
      const { fontSize, fontFamily, paddingRight } = getComputedStyle(input);
      const context = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
      context.font = `${fontSize} ${fontFamily}`;
      const end = input.getBoundingClientRect().right - Number.parseFloat(paddingRight);
      return { sign: right, digits: end - context.measureText(input.value).width, end };
    });
  await expect.poll(async () => (await edges()).sign).toBeGreaterThan(200);
  for (const amount of ['84.20', '1234567.80', '']) {
    await control.locator('input').fill(amount);
    const { sign, digits, end } = await edges();
    expect(digits - sign, `“${amount}” ends at ${end}`).toBeGreaterThan(2);
    expect(digits - sign, `“${amount}” ends at ${end}`).toBeLessThan(12);
  }
  await page.close();
});

it(
  'sets all pairs of fields on one grid, with labels of one line, in Spanish on a phone',
  { tags: ['thorough'] },
  async () => {
    const page = await openTab(browser, { locale: 'es', viewport: { width: 375, height: 667 } });
    await visit(page, (await service.create('payment', {})).sessionUrl);
    const pairs = await page.locator('.pair').evaluateAll((all) =>
      all.map((pair) => ({
        columns: [...pair.querySelectorAll('.control')].map((each) => each.getBoundingClientRect().x),
        labels: [...pair.querySelectorAll('label')].map((each) => each.getBoundingClientRect().height),
      })),
    );
    expect(pairs.length).toBe(2);
    expect(pairs[0]).toEqual(pairs[1]);
    expect(pairs[0]!.columns[0]).toBeLessThan(pairs[0]!.columns[1]!);
    expect(Math.max(...pairs[0]!.labels)).toBeLessThan(30);
    await page.close();
  },
);

it('labels fields side by side on one line in every language on a phone', { tags: 'thorough' }, async () => {
  const wrapped: string[] = [];
  for (const lang of LANGUAGES) {
    const { sessionUrl } = await service.create('payment', {});
    const page = await visit(
      await openTab(browser, { viewport: { width: 375, height: 667 } }),
      sessionUrl.replace('#', `?lang=${lang}#`),
    );
    await page.locator('[value=ACH]').check();
    await page.getByLabel(textsOf(lang).shared.method.routing).waitFor();
    for (const method of ['ACH', 'Credit Card']) {
      await page.locator(`[name=method][value="${method}"]`).check();
      const labels = await page
        .locator('.pair label, .button')
        .evaluateAll((all) =>
          all
            .filter(
              (each) =>
                each.getClientRects().length > 0 &&
                each.getBoundingClientRect().height - (each.matches('.button') ? 22 : 0) > 34,
            )
            .map((each) => each.textContent),
        );
      wrapped.push(...labels.map((label) => `${lang}: ${label}`));
    }
    await page.close();
  }
  expect(wrapped).toEqual([]);
});

it('has the same margins around the form and what follows it', { tags: 'thorough' }, async () => {
  const page = await openOn({ width: 768, height: 900 }, {});
  const edgesOf = async (target: Locator) => {
    const { x, width } = await boxOf(target);
    return [x, x + width];
  };
  const before = await edgesOf(page.locator('#pay'));
  await fillCard(page);
  await page.locator('#pay').click();
  await page.locator('.receipt').waitFor();
  expect(await edgesOf(page.locator('.receipt'))).toEqual(before);
  await page.close();
});

it('letters of card marks are at least 7 px high', { tags: 'thorough' }, async () => {
  const page = await openOn({ width: 320, height: 667 }, {});
  const sizes = await page
    .locator('.marks .mark')
    .evaluateAll((marks) =>
      marks.flatMap((mark) =>
        [...mark.querySelectorAll('text')].map(
          (text) => (Number(text.getAttribute('font-size')) * mark.getBoundingClientRect().width) / 38,
        ),
      ),
    );
  expect(sizes.length).toBe(3);
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(7);
  await page.close();
});

it('aligns the end of the merchant’s values with that of the total', { tags: 'thorough' }, async () => {
  const page = await openTab(browser, { viewport: { width: 320, height: 667 } });
  const PaymentFields = { Invoice: 'INV-2026-1102' };
  const body = { ...ACCOUNTS, BusinessUnitSlug: WITH_INVOICE, PaymentFields };
  await visit(page, (await service.create('payment', body)).sessionUrl);
  await page.getByText('INV-2026-1102').waitFor();
  const ends = await page.locator('.charges + .rows dd').evaluateAll((values) =>
    values.map((value) => {
      const text = document.createRange();
      text.selectNodeContents(value);
      return Math.round(text.getBoundingClientRect().right);
    }),
  );
  expect(ends.length).toBe(2);
  expect(new Set(ends).size, ends.join(' ')).toBe(1);
  await page.close();
});

it.each(
  firstOf(1, [
    [375, 667],
    [1280, 800],
  ]),
)(
  'keeps Pay in view beside or below a list of 25 accounts at %i × %i px',
  { tags: ['thorough'] },
  async (width, height) => {
    const page = await openOn(
      { width, height },
      {
        Charges: Array.from({ length: 25 }, (_, place) => ({
          Amount: 2150,
          ClientAccount: { AccountNumber: `HW-${place}`, Name: `${place + 1} Quay Street` },
        })),
      },
    );
    await page.locator('.fold').evaluate((fold) => fold.setAttribute('open', ''));
    const pay = page.locator('#pay');
    for (const part of [0, 0.5, 1]) {
      await page.evaluate((by) => scrollTo(0, document.documentElement.scrollHeight * by), part);
      const { y, height: high } = await boxOf(pay);
      expect(y, `${part}`).toBeGreaterThan(0);
      expect(y + high, `${part}`).toBeLessThanOrEqual(height);
    }
    await page.close();
  },
);

it(
  'ends with a link to the payer’s account, and with one to help if the text says to contact the business',
  { tags: ['thorough'] },
  async () => {
    const page = await openTab(browser);
    const shown = (): Promise<string[]> => page.locator('.statement').getByRole('link').allInnerTexts();
    const ends = async (heading: string): Promise<void> => {
      await page.getByRole('heading', { name: heading }).waitFor();
      const back = page.getByRole('link', { name: 'Back to Harborlight Water' });
      expect(await back.getAttribute('href')).toBe('https://shop.example/account');
    };

    const { sessionUrl } = await service.create('payment', { BusinessUnitSlug: LINKED });
    await visit(page, sessionUrl.replace(/#.*/, ''));
    await ends('This link doesn’t work');
    expect(await shown()).toHaveLength(1);

    await changeSession(page, { methods: [] });
    await visit(page, sessionUrl);
    await ends('No payment method is available');
    expect(await shown()).toEqual(['Back to Harborlight Water', 'Contact Harborlight Water']);
    await page.unrouteAll();

    await visit(page, sessionUrl);
    await fillCard(page);
    await page.locator('#pay').click();
    await ends('Payment complete');
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Print']);

    const body = { BusinessUnitSlug: LINKED, ClientUser: someCustomer(), ClientAccount: someAccount() };
    await visit(page, (await service.create('paperless', body)).sessionUrl);
    await page.getByRole('button', { name: 'Done' }).click();
    await ends('All set');
    await page.close();
  },
);

it('links to terms and help of the business unit in the footer', { tags: 'thorough' }, async () => {
  const page = await openTab(browser);
  await visit(page, (await service.create('payment', { BusinessUnitSlug: LINKED })).sessionUrl);
  const foot = page.locator('.legal');
  await foot.waitFor();
  expect(await foot.getByRole('link').allInnerTexts()).toEqual(['Terms', 'Help']);
  expect(await foot.getByRole('link', { name: 'Terms' }).getAttribute('href')).toBe(
    'https://shop.example/terms',
  );
  await page.close();
});

it('with text at 200 % breaks no word of the name, and stacks the fields', { tags: 'thorough' }, async () => {
  const page = await openOn({ width: 375, height: 667 }, {});
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('html { font-size: 200% !important }');
    document.adoptedStyleSheets.push(sheet);
  });
  const lines = await page.locator('.brand-name bdi').evaluate((name) => {
    const word = document.createRange();
    word.setStart(name.firstChild as Node, 0);
    word.setEnd(name.firstChild as Node, 'Harborlight'.length);
    return word.getClientRects().length;
  });
  expect(lines).toBe(1);
  const [holder, postcode] = await Promise.all(
    ['Name on card', 'ZIP code'].map((label) => boxOf(page.getByLabel(label))),
  );
  expect(postcode?.y).toBeGreaterThan((holder?.y ?? 0) + (holder?.height ?? 0));
  await page.close();
});

it('marks an invalid field and Pay in forced colors', { tags: ['thorough'] }, async () => {
  const page = await openOn({ width: 375, height: 667 }, {});
  await page.emulateMedia({ forcedColors: 'active' });
  const bordersOf = () =>
    page
      .locator('.control')
      .evaluateAll((controls) => controls.map((control) => getComputedStyle(control).borderStyle));
  const heights = () =>
    page
      .locator('.control')
      .evaluateAll((controls) => controls.map((control) => control.getBoundingClientRect().height));
  const before = await heights();
  expect(new Set(await bordersOf())).toEqual(new Set(['solid']));
  await page.getByRole('button', { name: /^Pay \$/ }).click();
  await focusOn(page.getByLabel('Card number'));
  // The focused one too.
  expect(new Set(await bordersOf())).toEqual(new Set(['dashed']));
  expect(await heights()).toEqual(before);
  const badge = page.locator('.test-mode');
  expect(await badge.evaluate((each) => getComputedStyle(each).outlineStyle)).toBe('solid');
  const [pays, plain] = await page.evaluate(() => {
    const color = (element: Element) => getComputedStyle(element).backgroundColor;
    return [color(document.querySelector('#pay') as Element), color(document.body)];
  });
  expect(pays).not.toBe(plain);

  // The ring of an invalid field is solid, with a gap.
  const ring = await page
    .locator('.control')
    .first()
    .evaluate((each) => {
      const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(each);
      return [outlineStyle, outlineWidth, outlineOffset];
    });
  expect(ring).toEqual(['solid', '3px', '2px']);
  await page.close();
});

it(
  'shows no button that looks as if it could be pressed while it loads, in forced colors',
  { tags: 'thorough' },
  async () => {
    const page = await openTab(browser, { forcedColors: 'active' });
    await page.route('**/api/session', () => undefined);
    await page.goto((await service.create('payment')).sessionUrl);
    const colors = await page
      .locator('.skeleton i')
      .evaluateAll((all) => [...new Set(all.map((each) => getComputedStyle(each).backgroundColor))]);
    expect(colors).toHaveLength(1);
    await page.close();
  },
);

it('covers nothing with its button while it loads, at 400 % zoom', { tags: ['thorough'] }, async () => {
  const page = await openTab(browser, { viewport: { width: 320, height: 256 } });
  await page.route('**/api/session', () => undefined);
  await page.goto((await service.create('payment')).sessionUrl);
  const button = await page.locator('.skeleton .button').boundingBox();
  expect(button?.y).toBeGreaterThan(256);
  await page.close();
});

it.each([320, 375, 1280])(
  'keeps the places of a bill’s fields and button when it has loaded at %i px, also of optional fields',
  { tags: 'thorough' },
  async (width) => {
    const ClientAccount = { AccountNumber: '1001', Name: 'Dana Reyes', Balance: 8420, DueDate: '2026-12-05' };
    const Charges = [{ Amount: 8420, ClientAccount }];
    for (const slug of [BUSINESS_UNIT, WITH_FIELDS]) {
      const page = await openTab(browser, { viewport: { width, height: 900 } });
      const answer = await holdResponses(page, '**/api/session');
      const hasFields = slug === WITH_FIELDS;
      const body = { BusinessUnitSlug: slug, Charges, PaymentFields: hasFields ? { invoice: 'A-1' } : {} };
      await page.goto((await service.create('payment', body)).sessionUrl);
      const boxesOf = (selector: string) =>
        page
          .locator(selector)
          .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON() as DOMRect));
      const before = await boxesOf('.skeleton :is(.control, .button)');
      // As in a frame, where the merchant's page knows most of those fields.
      await page.evaluate(() => document.documentElement.toggleAttribute('data-framed'));
      expect((await boxesOf('.skeleton .control')).filter((box) => box.width > 0)).toHaveLength(7);
      await page.evaluate(() => document.documentElement.toggleAttribute('data-framed'));
      answer();
      await page.locator('#pay').waitFor();
      const after = await boxesOf('#payment-form :is(.choice, .control, .button)');
      expect(after).toHaveLength(before.length);
      for (const [at, block] of before.entries())
        for (const [edge, most] of [
          // A choice is 4 px higher than a field. The invoice number is a row of the summary.
          ['top', hasFields && width < 900 ? 44 : 4],
          ['bottom', hasFields && width < 900 ? 44 : 0.5],
          // There, the security code is wider than the expiry date.
          ['left', 12],
          ['width', 12],
        ] as const)
          expect(Math.abs(after[at]![edge] - block[edge]), `${at} ${edge}`).toBeLessThanOrEqual(most);
      await page.close();
    }
  },
);

it('mutes a total that can’t be paid, and leaves it off the button', { tags: 'thorough' }, async () => {
  const page = await openTab(browser, { viewport: { width: 375, height: 667 } });
  const Charges = ['A', 'B'].map((name) => ({
    Amount: 7630,
    ClientAccount: { AccountNumber: name, Name: name, Balance: 9000 },
  }));
  await visit(page, (await service.create('payment', { BusinessUnitSlug: ADJUSTABLE, Charges })).sessionUrl);
  const [first, second] = await page.getByRole('checkbox').all();
  await second!.uncheck();
  const amount = page.getByLabel('Amount for A');
  const total = page.locator('.summary .amount');
  const colorOf = (each: Locator) => each.evaluate((element) => getComputedStyle(element).color);
  const muted = await colorOf(page.locator('.account').first());
  const shown = async () => [
    await total.innerText(),
    (await colorOf(total)) === muted,
    await page.locator('#pay').innerText(),
  ];
  for (const [typed, shownTotal] of [
    ['90', '$90.00'],
    ['90.01', '$0.00'],
    ['0', '$0.00'],
    ['', '$0.00'],
    ['abc', '$0.00'],
    ['12.5', '$12.50'],
  ] as const) {
    await amount.fill(typed);
    const isMuted = shownTotal === '$0.00';
    const button = isMuted ? 'Pay' : `Pay ${shownTotal}`;
    await expect
      .poll(shown, { message: typed })
      .toEqual([expect.stringContaining(shownTotal), isMuted, button]);
  }
  await second!.check();
  await amount.fill('');
  await expect.poll(shown).toEqual([expect.stringContaining('$76.30'), true, 'Pay']);
  await second!.uncheck();
  await first!.uncheck();
  await expect.poll(shown).toEqual([expect.stringContaining('$0.00'), true, 'Pay']);

  // In some languages, the word for Pay differs if no amount follows.
  const { sessionUrl } = await service.create('payment', { BusinessUnitSlug: ADJUSTABLE, Charges });
  await visit(page, sessionUrl.replace('#', '?lang=tl#'));
  for (const checkbox of await page.getByRole('checkbox').all()) await checkbox.uncheck();
  await expect.poll(() => page.locator('#pay').innerText()).toBe('Magbayad');
  await page.close();
});
