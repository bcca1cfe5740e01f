/** Renders a message: subject, plain text, and HTML for mail programs. */
import { accent } from '../shared/accent.js';
import { formatDay, formatMoney, isolateIn, localeOf, onOneLine } from '../shared/format.js';
import { inert } from '../shared/inert.js';
import { directionOf, htmlLanguage, type Language, chooseLanguage } from '../shared/languages.js';
import { MAX_BUSINESS_NAME } from '../shared/limits.js';
import { dayIn, startOf } from '../core/day.js';
import { textsOf } from '../texts/texts.js';
import type { Texts } from '../shared/texts.generated.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { isReceipt, isReminder, type MessageFacts, type MessageKind, type PayerMessage } from './rules.js';
import { LAYOUT } from './layout.generated.js';

export interface Rendered {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly sms: string;
}

export type MessageUnit = Pick<BusinessUnit, 'name' | 'timeZone'> & Partial<BusinessUnit>;

export function languageOf(
  { language }: Pick<PayerMessage, 'language'>,
  { locale, languages }: Pick<BusinessUnit, 'locale' | 'languages'>,
): Language {
  return chooseLanguage({ requested: language, configured: locale, offered: languages });
}

/** Undefined for messages that aren't reminders (RFC 8058). */
export function unsubscribeUrl(
  publicUrl: string,
  { id, kind }: Pick<PayerMessage, 'id' | 'kind'>,
): string | undefined {
  return isReminder(kind) ? `${publicUrl}/unsubscribe/${id}` : undefined;
}

export function renderMessage(
  message: Pick<PayerMessage, 'kind' | 'language' | 'facts' | 'createdAt'>,
  unit: MessageUnit,
  endUrl?: string,
): Rendered {
  const { kind, facts, createdAt } = message;
  const language = languageOf(message, unit);
  const texts = textsOf(language, unit.messages);
  const { message: text, shared } = texts;
  const locale = localeOf(language);
  const direction = directionOf(language);
  const business = inert(unit.name, MAX_BUSINESS_NAME);
  const start = startOf(facts.date ?? dayIn(createdAt, unit.timeZone));
  // Gmail and Outlook don't support `<bdi>`, and neither does plain text.
  const isolate = (value: string): string => isolateIn(direction, value);
  const isolated = isolate(business);
  const amount = facts.amount === undefined ? '' : formatMoney(facts.amount, locale);
  const date = start === null ? '' : formatDay(start, 'long', locale);
  const subject = text[kind].subject(isolated);
  const body =
    facts.isPending && isReceipt(kind)
      ? text.pending(isolated, amount)
      : text[kind].body(isolated, amount, date);
  const refunds = (facts.refunds ?? []).map((refund) => ({
    label: text.refunded,
    value: `${formatMoney(refund.amount, locale)} · ${formatDay(startOf(refund.date) ?? 0, 'long', locale)}`,
  }));
  const details = [...detailsOf(facts, text, methodName(facts, shared.method, isolate)), ...refunds].map(
    ({ label, value }) => ({ label, value: isolate(value) }),
  );
  const listed = amount === '' ? details : [{ label: text.amount, value: isolate(amount) }, ...details];
  const { account, help } = unit.links ?? {};
  const action = ACTIONS[kind]?.(texts, isolated);
  const button =
    account === undefined ? { url: help, text: shared.common.help } : { url: account, text: action };
  const texted = text[kind];
  const linked = account !== undefined && 'linked' in texted ? texted.linked(isolated, amount) : body;
  const light = unit.appearance?.accent;
  const { fill, onFill } = accent(light);
  const dark = accent(unit.appearance?.accentDark ?? light);
  return {
    subject,
    sms: body,
    text: [
      business,
      linked,
      [date, ...listed.map(({ label, value }) => `${label}: ${value}`)].join('\n'),
      ...(action !== undefined && account !== undefined ? [`${action}: ${account}`] : []),
      ...(help === undefined ? [] : [help]),
      ...(endUrl === undefined ? [] : [`${text.unsubscribe}: ${endUrl}`]),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    html: fillLayout(LAYOUT, {
      lang: htmlLanguage(language),
      ...sides(direction),
      accent: fill,
      onAccent: onFill,
      accentDark: dark.fill,
      onAccentDark: dark.onFill,
      ...logosOf(unit, business),
      subject,
      business: isolated,
      amount,
      date: onOneLine(date),
      body: date === '' ? linked : linked.replace(date, onOneLine(date)),
      button: action !== undefined && button.url !== undefined ? [button] : [],
      // Digits stay with the word before them.
      rows: details.map(({ label, value }) => ({ label, value: value.replace(/ (?=\S+$)/, '\u00a0') })),
      links: [
        ...(help === undefined ? [] : [{ url: help, text: isolate(help.replace(/^https?:\/\//, '')) }]),
        ...(endUrl === undefined ? [] : [{ url: endUrl, text: text.unsubscribe }]),
      ],
    }),
  };
}

function detailsOf(
  { accountNumbers = [], receiptNumber }: MessageFacts,
  text: Texts['message'],
  paidWith: string | undefined,
): { label: string; value: string }[] {
  const details = [
    { label: text.paidWith, value: paidWith },
    ...accountNumbers.map((number) => ({ label: text.account, value: inert(number, 80) })),
    { label: text.receiptNumber, value: receiptNumber },
  ];
  return details.flatMap(({ label, value }) => (value ? [{ label, value }] : []));
}

/** As on the pages: `Visa ending in 4242`. */
function methodName(
  { method, brand, last4 }: MessageFacts,
  { savedBank, savedCard, unnamedCard }: Texts['shared']['method'],
  isolate: (value: string) => string,
): string | undefined {
  if (last4 === undefined) return undefined;
  return method === 'ACH'
    ? savedBank(last4)
    : savedCard(isolate(brand === undefined ? unnamedCard : inert(brand, 30)), last4);
}

const sides = (direction: 'ltr' | 'rtl') =>
  direction === 'rtl'
    ? { direction, start: 'right', end: 'left' }
    : { direction, start: 'left', end: 'right' };

/** What the payer has to do, on the page of `links.account`. */
const ACTIONS: Readonly<Partial<Record<MessageKind, (texts: Texts, business: string) => string>>> = {
  'payment-failed': ({ payment }, business) => payment.title(business),
  'autopay-failed': ({ payment }, business) => payment.title(business),
  'card-expiring': ({ manage }) => manage.autopay.changeMethod,
};

/** Omits the name if a wordmark contains it. Mail programs don't show `data:` images. */
function logosOf({ logoUrl, logoUrlDark, logoShape }: MessageUnit, business: string) {
  const isWordmark = logoShape === 'wordmark';
  const logo = {
    alt: isWordmark ? business : '',
    height: isWordmark ? '32' : '40',
    radius: isWordmark ? '0' : '8',
  };
  const [light, dark] = [logoUrl, logoUrlDark].map((url) => (url?.startsWith('https:') ? url : undefined));
  if (light === undefined) return { name: [{}] };
  return {
    logo: [{ ...logo, url: light, class: dark === undefined ? '' : 'light-logo' }],
    darkLogo: dark === undefined ? [] : [{ ...logo, url: dark }],
    name: isWordmark ? [] : [{}],
  };
}

/** Fills a message's layout. Values are escaped, and placeholders in them are ignored. */
export interface LayoutValues {
  readonly [name: string]: string | readonly LayoutValues[] | undefined;
}

/**
 * Replaces `{{name}}` with a value. Repeats `{{#name}}…{{/name}}` for each item of a list, and omits it if the list or
 * text is empty. Items inherit the surrounding values.
 */
export function fillLayout(layout: string, values: LayoutValues): string {
  return layout.replace(PLACEHOLDER, (_, part: string | undefined, inner: string, name: string) => {
    const value = values[part ?? name] ?? '';
    if (part === undefined) return typeof value === 'string' ? escape(value) : '';
    const items = typeof value === 'string' ? (value === '' ? [] : [{}]) : value;
    return items.map((item) => fillLayout(inner, { ...values, ...item })).join('');
  });
}

const PLACEHOLDER = /\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}|\{\{(\w+)\}\}/g;

function escape(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
