/** `/webhooks`: the newest messages to merchants and their deliveries. */
import type { Hono } from 'hono';
import { defined } from '../../core/defined.js';
import { unitOf } from '../../platform/config/config.js';
import { signedHeaders } from '../../platform/http/signed-headers.js';
import type { SentWebhook, WebhookLine, WebhookRecord } from '../../shared/inspector.js';
import { enableWebhooks, resendWebhook } from '../../webhooks/queue.js';
import type { OutboxHead } from '../../webhooks/rules.js';
import { readFields } from '../input.js';
import type { InspectorParts } from './calls.js';
import { idOf, ID, MAX_LISTED, orMissing, queuedLine } from './lists.js';

export function webhookRoutes(app: Hono, parts: Pick<InspectorParts, 'deps' | 'journal'>): void {
  const { store, clock, config } = parts.deps;

  app.get('/webhooks', async (c) =>
    c.json((await store.read((tx) => tx.outbox.latest(MAX_LISTED))).map(webhookLine)),
  );
  app.get(`/webhooks/${ID}`, async (c) => orMissing(c, await webhookRecord(parts, idOf(c))));
  app.post(`/webhooks/${ID}/sent`, async (c) => {
    const message = await store.read((tx) => tx.outbox.get(idOf(c)));
    const webhook = unitOf(config, message?.businessUnit)?.webhook;
    if (!message || !webhook) return orMissing(c, null);
    const { id, body } = message;
    return c.json<SentWebhook>({ headers: signedHeaders(id, body, webhook.secrets), body });
  });
  app.post(`/webhooks/${ID}/resend`, async (c) => {
    const message = await store.read((tx) => tx.outbox.get(idOf(c)));
    if (message)
      await store.transaction((tx) => resendWebhook(tx, message.businessUnit, message.id, clock.now()));
    return orMissing(c, message && {});
  });
  app.post('/webhooks/enable', async (c) => {
    const { businessUnit } = await readFields(c);
    await store.transaction((tx) => enableWebhooks(tx, String(businessUnit)));
    return c.json({});
  });
}

export function webhookRecord(
  { deps: { store, config }, journal }: Pick<InspectorParts, 'deps' | 'journal'>,
  id: string,
): Promise<WebhookRecord | null> {
  const { redact } = journal;
  return store.read(async (tx) => {
    const message = await tx.outbox.get(id);
    if (!message) return null;

    const webhook = unitOf(config, message.businessUnit)?.webhook;
    return defined({
      ...webhookLine(message),
      body: redact.body(JSON.parse(message.body)),
      tries: journal.deliveriesOf(id),
      silenced: webhook !== undefined && (await tx.outbox.disabled(message.businessUnit, webhook.url)),
      url: webhook && redact.url(webhook.url),
    });
  });
}

export function webhookLine(message: OutboxHead): WebhookLine {
  return { ...queuedLine(message), type: message.type };
}
