/** `/unsubscribe/{id}`: unsubscribes from a kind of reminder with one click, even in a mail program (RFC 8058, R-104). */
import { Hono, type Context } from 'hono';
import { html, raw } from 'hono/html';
import { emailKey } from '../accounts/rules/customer.js';
import { isId } from '../core/page-ids.js';
import type { Deps } from '../deps.js';
import { languageOf } from '../messages/render.js';
import { isReminder, PREFERENCE_OF, type PayerMessage } from '../messages/rules.js';
import { unitOf } from '../platform/config/config.js';
import { limited } from '../platform/timeouts.js';
import { stopEmails } from '../preferences/set-preferences.js';
import type { Session } from '../sessions/rules/session.js';
import { isolateIn } from '../shared/format.js';
import { directionOf, htmlLanguage, type Language, chooseLanguage } from '../shared/languages.js';
import { REVIEWED, textsOf } from '../texts/texts.js';
import { acceptedIn, hashSource } from './headers.js';
import type { HostedAssets } from './hosted-assets.js';
import { logoOrigins } from './logo.js';
import { appearanceOf, appearanceRules } from './appearance.js';
import { brandOf, legalOf, nameOf, stylesheets, textOf, type HostedBusiness } from './page-html.js';

type Parts = Pick<Deps, 'env' | 'store' | 'config' | 'clock' | 'newId' | 'testMode'>;

interface Reminder {
  readonly message: PayerMessage;
  readonly session: Session & { readonly customerId: string };
}

/** GET shows a button, because mail scanners open links. POST unsubscribes. */
export function unsubscribeRoutes(parts: Parts, assets: () => HostedAssets): Hono {
  const { config, clock, newId } = parts;
  const routes = new Hono();
  const find = ({ store }: Pick<Parts, 'store'>, id: string): Promise<Reminder | null> =>
    store.read(async (tx) => {
      const message = isId(id) ? await tx.messages.get(id) : null;
      const { customerId, sessionId } = message ?? {};
      if (!message || !isReminder(message.kind) || customerId === undefined) return null;
      // Someone who reads mail at a former address must not change what the current one gets.
      const customer = await tx.customers.get(customerId);
      if (!customer || emailKey(customer.emailAddress) !== emailKey(message.recipient)) return null;
      const session = await tx.sessions.get(sessionId ?? '');
      return session && { message, session: { ...session, customerId } };
    });

  const answer = (c: Context, reminder: Reminder | null, step: Step): Response => {
    const page = reminder ? reminderPage(reminder, config, step) : unknownPage(c, parts);
    const { markup, headers } = markupOf(page, parts, assets());
    return c.html(markup, reminder ? 200 : 404, headers);
  };

  routes.get('/unsubscribe/:id', async (c) =>
    answer(
      c,
      await find(limited(parts), c.req.param('id')),
      c.req.query('keep') === undefined ? 'asked' : 'kept',
    ),
  );

  routes.post('/unsubscribe/:id', async (c) => {
    const { store } = limited(parts);
    const reminder = await find({ store }, c.req.param('id'));
    if (reminder)
      await store.transaction(
        (tx) =>
          stopEmails(tx, reminder.session, PREFERENCE_OF[reminder.message.kind], { now: clock.now(), newId }),
        { repeatable: true },
      );
    return answer(c, reminder, 'stopped');
  });

  return routes;
}

type Step = 'asked' | 'stopped' | 'kept';

/** Icons of the other final screens. */
const iconOf = (path: string) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
const DONE = html`<span class="statement-icon">${iconOf('M5 12.5l4.5 4.5L19 7.5')}</span>`;
const BACK = iconOf('M19 12H5M11 6l-6 6 6 6');

interface Page {
  readonly language: Language;
  readonly business?: HostedBusiness | undefined;
  /** The session's page, relative to this one. */
  readonly logosAt: string;
  readonly title: string;
  readonly body: string;
  readonly buttons?: { readonly stop: string; readonly keep: string };
  readonly end?: { readonly text: string; readonly url?: string | undefined };
}

function reminderPage({ message, session }: Reminder, config: Deps['config'], step: Step): Page {
  const business = unitOf(config, message.businessUnit);
  const language = business ? languageOf(message, business) : message.language;
  const { message: text, manage, rest, shared } = textsOf(language, business?.messages);
  const name = isolateIn(directionOf(language), business ? nameOf(business) : message.businessUnit);
  const url = business?.links?.account;
  return {
    language,
    business,
    logosAt: `../s/${encodeURIComponent(session.id)}`,
    title: {
      asked: text.unsubscribeTitle(name),
      stopped: text.unsubscribed,
      kept: text.unsubscribeKept,
    }[step],
    body: text.unsubscribeScope(manage.notifications.kinds[PREFERENCE_OF[message.kind]]),
    ...(step === 'asked'
      ? { buttons: { stop: text.unsubscribe, keep: text.unsubscribeKeep } }
      : { end: { url, text: url === undefined ? rest.common.youMayClose : shared.common.backTo(name) } }),
  };
}

function unknownPage(c: Context, { env }: Pick<Parts, 'env'>): Page {
  const language = chooseLanguage({
    accepted: acceptedIn(c.req.header('accept-language')),
    offered: env === 'production' ? REVIEWED : undefined,
  });
  return { language, logosAt: '', ...textsOf(language).problem.unknown };
}

function markupOf(
  page: Page,
  { testMode, config }: Pick<Parts, 'testMode' | 'config'>,
  assets: HostedAssets,
) {
  const { language, business, title, body, buttons, end } = page;
  const looks = appearanceOf(business?.appearance);
  const style = appearanceRules(looks);
  const scheme = looks.scheme && html` data-scheme="${looks.scheme}"`;
  const brand = business && brandOf({ business, language, looks, testMode }, page.logosAt);
  const forms =
    buttons &&
    html`<form method="post"><button class="button primary">${buttons.stop}</button></form>
            <form><button class="button secondary" name="keep">${buttons.keep}</button></form>`;
  const markup = html`<!doctype html>
    <html lang="${htmlLanguage(language)}" dir="${directionOf(language)}"${scheme} translate="no">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width,initial-scale=1">
        <meta name="color-scheme" content="${looks.scheme ?? 'light dark'}">
        <link rel="icon" href="data:,">
        <title>${title}</title>
        <style>${raw(style)}</style>
        ${stylesheets(assets.page('problem', language).styles)}
      </head>
      <body>
        ${brand}
        <main id="page">
          <section class="statement success">
            ${buttons === undefined && business && DONE}
            <h1>${title}</h1>
            <p>${body}</p>
            ${end && (end.url === undefined ? html`<p class="actions">${end.text}</p>` : html`<a class="button primary" href="${end.url}" rel="noreferrer">${BACK}${end.text}</a>`)}
            ${forms}
          </section>
          ${legalOf({ business, language, operator: config.operator?.name })}
        </main>
      </body>
    </html>`;
  const images = ["'self'", 'data:', ...(business ? logoOrigins(business) : [])].join(' ');
  return {
    markup: textOf(markup),
    headers: {
      'content-security-policy': `default-src 'none'; style-src 'self' ${hashSource(style)}; img-src ${images}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'x-robots-tag': 'noindex',
      'cache-control': 'no-store',
    },
  };
}
