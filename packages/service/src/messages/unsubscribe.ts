/** `/unsubscribe/{id}`: ends the reminders of a kind with one click, also from a mail program (RFC 8058, R-104). */
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Deps } from '../deps.js';
import { textsOf } from '../texts/texts.js';
import { unitOf } from '../platform/config/config.js';
import { DEFAULT_PREFERENCES } from '../preferences/rules.js';
import { inert } from '../shared/inert.js';
import { directionOf, htmlLanguage } from '../shared/languages.js';
import { MAX_BUSINESS_NAME } from '../shared/limits.js';
import { isReminder, PREFERENCE_OF } from './rules.js';
import type { PayerMessage } from './rules.js';

/** @param publicUrl without a trailing slash */
export function unsubscribeUrl(publicUrl: string, messageId: string): string {
  return `${publicUrl}/unsubscribe/${messageId}`;
}

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
};

const MAX_ID = 100;

/** GET shows a button, because mail scanners open links. POST ends the reminders. */
export function unsubscribeRoutes({ store, config }: Pick<Deps, 'store' | 'config'>): Hono {
  const routes = new Hono();
  const find = async (id: string): Promise<PayerMessage | null> => {
    const message = id.length <= MAX_ID ? await store.read((tx) => tx.messages.get(id)) : null;
    return message !== null && isReminder(message.kind) && message.customerId !== undefined ? message : null;
  };

  routes.get('/unsubscribe/:id', async (c) => {
    const message = await find(c.req.param('id'));
    return message
      ? c.html(pageOf(message, config, false), 200, HEADERS)
      : c.text('This link is no longer valid.', 404, HEADERS);
  });

  routes.post('/unsubscribe/:id', async (c) => {
    const message = await find(c.req.param('id'));
    if (!message) return c.text('This link is no longer valid.', 404, HEADERS);

    const { customerId = '', businessUnit } = message;
    const kind = PREFERENCE_OF[message.kind];
    await store.transaction(
      async (tx) => {
        const current = (await tx.notifications.ofCustomer(customerId)) ?? DEFAULT_PREFERENCES;
        const kinds = { ...current.kinds, [kind]: { ...current.kinds[kind], email: false } };
        await tx.notifications.put(businessUnit, customerId, { ...current, kinds });
      },
      { repeatable: true },
    );
    return c.html(pageOf(message, config, true), 200, HEADERS);
  });

  return routes;
}

function pageOf({ businessUnit, language }: PayerMessage, config: Deps['config'], isDone: boolean) {
  const unit = unitOf(config, businessUnit);
  const business = inert(unit?.name ?? businessUnit, MAX_BUSINESS_NAME);
  const text = textsOf(language, unit?.messages).message;
  const title = isDone ? text.unsubscribed : text.unsubscribeTitle(business);
  const button = isDone ? '' : html`<form method="post"><button>${text.unsubscribe}</button></form>`;
  return html`<!doctype html>
    <html lang="${htmlLanguage(language)}" dir="${directionOf(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${button}
        </main>
      </body>
    </html>`;
}
