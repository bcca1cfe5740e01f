/** Language and appearance of the hosted pages, set by the frame's address, the business unit or the browser. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstOf, launch, startService, type Service, openTab } from '../harness/index.js';
import { someAccount, someCustomer } from './stage.js';

let browser: Browser;
let service: Service;
let page: Page;

beforeAll(async () => {
  [browser, service] = await Promise.all([launch('chromium'), startService()]);
  page = await openTab(browser);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** Opens a payment with this query in a top-level page. */
async function open(query: string, scheme: 'light' | 'dark' = 'light'): Promise<string[]> {
  const { sessionUrl } = await service.create('payment');
  const url = new URL(sessionUrl);
  url.search = query;
  await page.emulateMedia({ colorScheme: scheme });
  const files: string[] = [];
  // The page may send more requests after showing the form, so record them until the next page opens.
  page.removeAllListeners('request');
  page.on('request', (request) => void files.push(request.url()));
  await page.goto(url.href);
  await page.locator('#pay').waitFor();
  return files;
}

const html = () => page.locator('html');
const pixel = () =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g)!.map(Number));

describe('R-70 a page', () => {
  it.each(
    firstOf(2, [
      ['tl', 'Numero ng card', 'ltr'],
      ['ar', 'رقم البطاقة', 'rtl'],
      ['es', 'Número de tarjeta', 'ltr'],
      ['fr', 'Numéro de carte', 'ltr'],
      ['pt', 'Número do cartão', 'ltr'],
      ['zh-Hans', '卡号', 'ltr'],
      ['zh-Hant', '卡號', 'ltr'],
      ['vi', 'Số thẻ', 'ltr'],
      ['ko', '카드 번호', 'ltr'],
      ['ru', 'Номер карты', 'ltr'],
      ['ht', 'Nimewo kat', 'ltr'],
    ]),
  )('in %s loads only its own texts', { tags: ['thorough'] }, async (lang, label, dir) => {
    const files = await open(`?lang=${lang}`);
    expect(await html().getAttribute('lang')).toBe(lang === 'tl' ? 'fil' : lang);
    expect(await html().getAttribute('dir')).toBe(dir);
    await page.getByLabel(label, { exact: true }).waitFor();
    const words = (): (string | undefined)[] =>
      files
        .filter((file) => /assets\/text-/.test(file))
        .map((file) => /(text-(?:payment|after)-[\w-]+)-[\w-]{8}\.js$/.exec(file)?.[1]);
    // The requests before the form is shown, then the others.
    await expect.poll(words).toEqual([`text-payment-${lang}`, `text-after-${lang}`]);
  });

  it('in a right-to-left language shows digits left to right', { tags: ['thorough'] }, async () => {
    await open('?lang=ar');
    const number = page.getByLabel('رقم البطاقة', { exact: true });
    await number.fill('4242424242424242');
    expect(await number.inputValue()).toBe('4242 4242 4242 4242');
    expect(await number.evaluate((input) => getComputedStyle(input).direction)).toBe('ltr');
    // The first element in reading direction is on the right.
    const label = await page.locator('label[for=field-cardNumber]').boundingBox();
    const field = await number.boundingBox();
    expect(label!.x + label!.width).toBeGreaterThan(field!.x + field!.width / 2);
  });

  it('accepts digits from an Arabic keyboard, and keeps the caret when one is inserted in the middle', async () => {
    await open('?lang=ar');
    const number = page.getByLabel('رقم البطاقة', { exact: true });
    await number.pressSequentially('٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤');
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('۲');
    expect(await number.inputValue()).toBe('4242 4242 4242 2424');
    expect(await number.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe(16);
    const expiry = page.getByLabel('تاريخ الانتهاء', { exact: true });
    await expiry.pressSequentially('١٢٣٤');
    expect(await expiry.inputValue()).toBe('12 / 34');
    await page.getByLabel('رمز الأمان', { exact: true }).pressSequentially('١٢٣');
    expect(await page.getByLabel('رمز الأمان', { exact: true }).inputValue()).toBe('123');
  });

  it(
    'in a right-to-left language shows an account number in the order it was typed',
    { tags: ['thorough'] },
    async () => {
      await open('?lang=ar');
      await page.getByRole('radio', { name: 'حساب بنكي', exact: false }).check();
      await page.getByLabel('رقم الحساب البنكي', { exact: true }).fill('000123456789');
      const hint = page.getByText('تحقق منه');
      await hint.waitFor();
      const lefts = await hint.evaluate((element) => {
        const text = [...element.childNodes].find((node) => node.textContent?.includes('6789'))!;
        return ['0001', '2345', '6789'].map((group) => {
          const range = document.createRange();
          const at = text.textContent!.indexOf(group);
          range.setStart(text, at);
          range.setEnd(text, at + group.length);
          return range.getBoundingClientRect().left;
        });
      });
      expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
    },
  );

  it(
    'in a right-to-left language shows account numbers and e-mail addresses left to right',
    { tags: 'thorough' },
    async () => {
      const ClientUser = { EmailAddress: '24-7@example.com' };
      const account = { AccountNumber: '1001', SubAccountNumber: '02', Name: 'Dana Reyes', Balance: 100 };
      const { sessionUrl } = await service.create('payment', {
        ClientUser,
        Charges: [{ Amount: 100, ClientAccount: account }],
      });
      await page.goto(sessionUrl.replace('#', '?lang=ar#'));
      for (const parts of [
        ['1001', '-02'],
        ['24', '-7', '@example'],
      ]) {
        const shown = page.getByText(parts.join(''));
        await shown.first().waitFor();
        const lefts = await shown.first().evaluate((element, parts) => {
          const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
          while (!walker.nextNode()?.textContent?.includes(parts.join('')));
          const { currentNode: text } = walker;
          return parts.map((part) => {
            const range = document.createRange();
            const at = text.textContent!.indexOf(part, text.textContent!.indexOf(parts.join('')));
            range.setStart(text, at);
            range.setEnd(text, at + part.length);
            return range.getBoundingClientRect().left;
          });
        }, parts);
        expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
      }
    },
  );

  it(
    'in a right-to-left language aligns an e-mail address with the text below it',
    { tags: 'thorough' },
    async () => {
      const ClientUser = someCustomer();
      const { sessionUrl } = await service.create('paperless', {
        ClientUser,
        SyncAccount: true,
        ClientAccount: someAccount(),
      });
      await page.goto(sessionUrl.replace('#', '?lang=ar#'));
      const right = async (text: string) => {
        const box = await page.getByText(text, { exact: true }).boundingBox();
        return Math.round(box!.x + box!.width);
      };
      await page.getByText(ClientUser.EmailAddress).waitFor();
      const text = await page.getByText(ClientUser.EmailAddress).evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return Math.round(range.getBoundingClientRect().right);
      });
      expect(text).toBe(await right('البريد الإلكتروني الذي ستصلك عليه فواتيرك'));
    },
  );

  it(
    'in a right-to-left language aligns both lines of a long e-mail address with the notifications page',
    { tags: 'thorough' },
    async () => {
      const ClientUser = { ...someCustomer(), EmailAddress: 'dana.reyes.of.quay.street@mail.example.com' };
      const { sessionUrl } = await service.create('notifications', { ClientUser });
      await page.setViewportSize({ width: 240, height: 800 });
      await page.goto(sessionUrl.replace('#', '?lang=ar#'));
      const address = page.locator('bdi').filter({ hasText: '@' });
      await address.waitFor();
      const { rights, begin } = await address.evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const lines = new Map<number, number>();
        for (const { top, right } of range.getClientRects())
          lines.set(Math.round(top), Math.max(lines.get(Math.round(top)) ?? 0, Math.round(right)));
        const begin = Math.round(element.parentElement!.getBoundingClientRect().right);
        return { rights: [...lines.values()], begin };
      });
      await page.setViewportSize({ width: 1280, height: 720 });
      expect(rights.length).toBeGreaterThan(1);
      expect(rights).toEqual(rights.map(() => begin));
    },
  );

  it('offers a test language outside production', { tags: 'thorough' }, async () => {
    await open('?lang=en-XA');
    expect(await html().getAttribute('lang')).toBe('en-XA');
    expect(await page.locator('label[for=field-cardNumber]').textContent()).toMatch(/~$/);
    await open('?lang=ar-XB');
    expect(await html().getAttribute('dir')).toBe('rtl');
  });

  it(
    'is light on a dark system and dark on a light one if the URL says so',
    { tags: ['thorough'] },
    async () => {
      await open('?scheme=light', 'dark');
      expect((await pixel())[0]).toBeGreaterThan(200);
      await open('?scheme=dark', 'light');
      expect((await pixel())[0]).toBeLessThan(60);
      await open('', 'dark');
      expect((await pixel())[0]).toBeLessThan(60);
      await open('?scheme=purple', 'light');
      expect((await pixel())[0]).toBeGreaterThan(200);
    },
  );

  it('applies accent, radius and font from the URL', async () => {
    await open('?accent=%230a7d32&radius=0&font=serif');
    const style = await page.locator('#pay').evaluate((button) => {
      const { backgroundColor, borderRadius, fontFamily } = getComputedStyle(button);
      return { backgroundColor, borderRadius, fontFamily };
    });
    expect(style.backgroundColor).toBe('rgb(10, 125, 50)');
    expect(style.borderRadius).toBe('0px');
    expect(style.fontFamily).toContain('ui-serif');
  });
});
