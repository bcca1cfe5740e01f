/** Renders a message: subject, plain text, and HTML for mail programs. */
import { isAccent } from '../shared/appearance.js';
import { formatDay, formatMoney, localeOf } from '../shared/format.js';
import { inert } from '../shared/inert.js';
import { directionOf, htmlLanguage } from '../shared/languages.js';
import { MAX_BUSINESS_NAME } from '../shared/limits.js';
import { startOf } from '../core/day.js';
import type { BusinessUnit } from '../platform/config/config.js';
import type { PayerMessage } from './rules.js';
import { MESSAGE_TEXT } from './text.js';

export interface Rendered {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type MessageUnit = Pick<BusinessUnit, 'name' | 'logoUrl' | 'appearance' | 'links'>;

/** @param unsubscribeUrl of a reminder: where it can be ended */
export function renderMessage(
  { kind, language, facts }: Pick<PayerMessage, 'kind' | 'language' | 'facts'>,
  unit: MessageUnit,
  unsubscribeUrl?: string,
): Rendered {
  const text = MESSAGE_TEXT[language];
  const locale = localeOf(language);
  const business = inert(unit.name, MAX_BUSINESS_NAME);
  const start = facts.date === undefined ? null : startOf(facts.date);
  const words = {
    business,
    amount: facts.amount === undefined ? '' : formatMoney(facts.amount, locale),
    date: start === null ? '' : formatDay(start, 'long', locale),
  };
  const subject = text.kinds[kind].subject(words);
  const body = facts.isPending && kind === 'receipt' ? text.pending(words) : text.kinds[kind].body(words);
  const source = facts.method === 'ACH' ? text.labels.bankAccount : facts.brand;
  const paidWith = facts.last4 && [source, `•••• ${facts.last4}`].filter(Boolean).join(' ');
  const rows = (
    [
      [text.labels.amount, words.amount],
      [text.labels.paidWith, paidWith],
      [text.labels.account, facts.accountNumber && inert(facts.accountNumber, MAX_BUSINESS_NAME)],
      [text.labels.receiptNumber, facts.receiptNumber],
    ] as const
  ).filter((row): row is [string, string] => Boolean(row[1]));

  return {
    subject,
    text: [
      business,
      body,
      rows.map(([label, value]) => `${label}: ${value}`).join('\n'),
      ...(unit.links?.help === undefined ? [] : [unit.links.help]),
      ...(unsubscribeUrl === undefined ? [] : [`${text.unsubscribe}: ${unsubscribeUrl}`]),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    html: htmlOf({
      unit,
      subject,
      business,
      body,
      rows,
      lang: htmlLanguage(language),
      direction: directionOf(language),
      ...(unsubscribeUrl === undefined ? {} : { end: { url: unsubscribeUrl, text: text.unsubscribe } }),
    }),
  };
}

const ACCENT = '#1d5bd6';

/** Mail programs drop style sheets in part, so colors and sizes are inline; the rest only improves. */
const STYLE = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){.page{background:#121a23!important}.card{background:#1b2530!important}.ink{color:#eef2f6!important}.soft{color:#b3bfcc!important}.line{border-color:#37424f!important}}`;

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

interface Html {
  readonly unit: MessageUnit;
  readonly subject: string;
  readonly business: string;
  readonly body: string;
  readonly rows: readonly (readonly [string, string])[];
  readonly lang: string;
  readonly direction: 'ltr' | 'rtl';
  readonly end?: { readonly url: string; readonly text: string };
}

function htmlOf({ unit, subject, business, body, rows, lang, direction, end }: Html): string {
  const { accent } = unit.appearance ?? {};
  const color = accent !== undefined && isAccent(accent) ? accent : ACCENT;
  const help = unit.links?.help;
  const start = direction === 'rtl' ? 'right' : 'left';
  const cell = `style="padding:10px 0;border-top:1px solid #dfe4ea;font-size:15px;line-height:22px`;
  const facts = rows.map(
    ([label, value]) =>
      `<tr><td class="soft line" ${cell};color:#55616e" align="${start}">${escape(label)}</td><td class="ink line" ${cell};color:#17202b;font-weight:600" align="${direction === 'rtl' ? 'left' : 'right'}"><bdi>${escape(value)}</bdi></td></tr>`,
  );

  return `<!doctype html><html lang="${lang}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><title>${escape(subject)}</title><style>${STYLE}</style></head>
<body class="page" style="margin:0;padding:0;background:#f3f5f8;${FONT}"><main>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="page" style="background:#f3f5f8"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="card" style="max-width:520px;background:#ffffff;border-radius:12px;border-top:4px solid ${color}"><tr><td style="padding:28px 24px" align="${start}">
${logoOf(unit)}<p class="soft" style="margin:0 0 4px;font-size:15px;color:#55616e"><bdi>${escape(business)}</bdi></p>
<h1 class="ink" style="margin:0 0 12px;font-size:22px;line-height:28px;color:#17202b">${escape(subject)}</h1>
<p class="ink" style="margin:0 0 20px;font-size:16px;line-height:24px;color:#17202b">${escape(body)}</p>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${facts.join('')}</table>
</td></tr></table>
<p class="soft" style="margin:16px 0 0;font-size:13px;line-height:20px;color:#55616e">${[
    ...(help === undefined ? [] : [linkTo(help, help.replace(/^https?:\/\//, ''))]),
    ...(end === undefined ? [] : [linkTo(end.url, end.text)]),
  ].join(' · ')}</p>
</td></tr></table></main></body></html>`;
}

/** Mail programs show no `data:` images. */
function logoOf({ logoUrl }: MessageUnit): string {
  return logoUrl !== undefined && logoUrl.startsWith('https:')
    ? `<img src="${escape(logoUrl)}" alt="" height="40" style="display:block;height:40px;margin:0 0 16px">`
    : '';
}

function linkTo(url: string, text: string): string {
  return `<a href="${escape(url)}" class="soft" style="color:#55616e">${escape(text)}</a>`;
}

function escape(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
