/** `/mail`: the newest messages to payers (R-104). */
import { createHmac } from 'node:crypto';
import type { Hono } from 'hono';
import { defined } from '../../core/defined.js';
import { languageOf, renderMessage, unsubscribeUrl, type Rendered } from '../../messages/render.js';
import type { MessageFacts, PayerMessage } from '../../messages/rules.js';
import { unitOf } from '../../platform/config/config.js';
import { isSameSecret } from '../../platform/keys/session-keys.js';
import type { MailLine, MailRecord } from '../../shared/inspector.js';
import type { InspectorParts } from './calls.js';
import { idOf, ID, MAX_LISTED, orMissing, queuedLine } from './lists.js';

/** Messages run no scripts and load only images. Links open in a new tab. */
const FRAME_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src https:; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
  'cache-control': 'no-store',
};

/** A frame sends no token, so the address of its HTML contains a key for only this message. */
function htmlPath(token: string, id: string): string {
  return `/mail/${id}/html?key=${createHmac('sha256', token).update(`mail ${id}`).digest('base64url')}`;
}

/** The only route without the token. */
export function mailFrames(app: Hono, parts: InspectorParts): void {
  app.get(`/mail/${ID}/html`, async (c) => {
    const id = idOf(c);
    const isAllowed = isSameSecret(`/mail/${id}/html?key=${c.req.query('key')}`, htmlPath(parts.token, id));
    const mail = isAllowed ? await findMail(parts, id) : null;
    if (!mail) return orMissing(c, null);
    return c.html(mail.rendered.html.replace('<head>', '<head><base target="_blank">'), 200, FRAME_HEADERS);
  });
}

export function mailRoutes(app: Hono, parts: InspectorParts): void {
  const { store } = parts.deps;
  app.get('/mail', async (c) => {
    const messages = await store.read((tx) => tx.messages.latest(MAX_LISTED));
    return c.json(messages.flatMap((message) => mailOf(parts, message)?.line ?? []));
  });
  app.get(`/mail/${ID}`, async (c) => orMissing(c, (await findMail(parts, idOf(c)))?.record));
}

interface Mail {
  readonly line: MailLine;
  readonly record: MailRecord;
  readonly rendered: Rendered;
}

async function findMail(parts: InspectorParts, id: string): Promise<Mail | null> {
  const message = await parts.deps.store.read((tx) => tx.messages.get(id));
  return message && mailOf(parts, message);
}

/** Null if the message's business unit is no longer in the config. */
function mailOf({ deps, journal, token }: InspectorParts, message: PayerMessage): Mail | null {
  const { config, publicUrl } = deps;
  const { redact } = journal;
  const unit = unitOf(config, message.businessUnit);
  if (!unit) return null;

  const { id, kind, channel, recipient } = message;
  const shown = { ...message, facts: redact.body(message.facts) as unknown as MessageFacts };
  const rendered = renderMessage(shown, unit, unsubscribeUrl(publicUrl, message));
  const { subject, text, sms } = rendered;
  const line = { ...queuedLine(message), kind, channel, to: redact.text(recipient), subject };
  const record = defined({
    ...line,
    language: languageOf(message, unit),
    text: channel === 'sms' ? sms : text,
    html: channel === 'email' ? htmlPath(token, id) : undefined,
  });
  return { line, record, rendered };
}
