/** Messages to payers, as displayed by a mail program. */
import { renderMessage, type MessageUnit } from '../../../packages/service/src/messages/render.js';
import { isReminder, MESSAGE_KINDS, type MessageKind } from '../../../packages/service/src/messages/rules.js';
import { matchLanguage } from '../../../packages/service/src/shared/languages.js';
import { LOGO } from '../stage.js';
import type { PageState } from './reach.js';

const MAIL = 'https://mail.example/';
const LOGO_URL = `${MAIL}logo.svg`;

const UNIT: MessageUnit = {
  name: 'Harborlight Water',
  logoUrl: LOGO_URL,
  appearance: { accent: '#0b6e75', accentDark: '#58c4c4' },
  links: { account: 'https://water.example/account', help: 'https://water.example/help' },
  timeZone: 'America/New_York',
};

const CARD = { method: 'Credit Card', brand: 'Visa', last4: '4242', accountNumbers: ['HW-20480'] } as const;
const PAID = { ...CARD, amount: 12_345, receiptNumber: '61783 74105' };
const PLANNED = { ...CARD, amount: 12_345, date: '2026-12-09' };

const MESSAGES: Readonly<
  Record<MessageKind, Pick<Parameters<typeof renderMessage>[0], 'facts'> & { title: string }>
> = {
  receipt: { title: 'E-mail: receipt', facts: PAID },
  'payment-failed': { title: 'E-mail: failed payment', facts: PLANNED },
  refund: { title: 'E-mail: refund', facts: { ...PAID, amount: 1_000 } },
  'autopay-receipt': { title: 'E-mail: AutoPay receipt', facts: PAID },
  'autopay-failed': { title: 'E-mail: failed AutoPay', facts: { ...CARD, amount: 12_345 } },
  'payment-reminder': { title: 'E-mail: payment reminder', facts: PLANNED },
  'autopay-reminder': { title: 'E-mail: AutoPay reminder', facts: PLANNED },
  'card-expiring': { title: 'E-mail: expiring card', facts: CARD },
};

export const MESSAGE_STATES: readonly PageState[] = MESSAGE_KINDS.map((kind) => ({
  name: `message-${kind}`,
  gallery: MESSAGES[kind].title,
  async reach({ page }) {
    const language = matchLanguage(await page.evaluate(() => navigator.language)) ?? 'en';
    const message = { kind, language, facts: MESSAGES[kind].facts, createdAt: Date.UTC(2026, 10, 26, 15) };
    const { html } = renderMessage(
      message,
      UNIT,
      isReminder(kind) ? 'https://pay.example/unsubscribe/eml_1' : undefined,
    );
    await page.route(MAIL, (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await page.route(LOGO_URL, (route) => route.fulfill({ contentType: 'image/svg+xml', body: LOGO }));
    await page.goto(MAIL);
    return page;
  },
}));
