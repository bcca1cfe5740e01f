/** Interoperability with Standard Webhooks: its reference library and Svix accept our webhooks, and we accept theirs. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { verifyWebhook } from '@embedded-sessions/server';
import { bodyOf, startOrigin, startService, type Origin, type Service } from '../harness/index.js';
import { CARD, pay } from '../pages/stage.js';
import { installed } from './installed.js';

interface Verifier {
  sign(id: string, at: Date, body: string): string;
  verify(body: string, headers: Record<string, string>): unknown;
}

type Library = { Webhook: new (secret: string) => Verifier };

const SECRET = `whsec_${randomBytes(24).toString('base64')}`;
const received: { body: string; headers: Record<string, string> }[] = [];
let merchant: Origin;
let service: Service;

beforeAll(async () => {
  merchant = await startOrigin({
    routes: {
      '/webhooks': async (request, response) => {
        received.push({ body: await bodyOf(request), headers: request.headers as Record<string, string> });
        response.end();
      },
    },
  });
  const webhook = { url: `${merchant.url}/webhooks`, secrets: [SECRET] };
  service = await startService({ businessUnit: { webhook } });
  await pay(await service.create('payment', { CustomMeta: { name: 'Zoë 😀' } }), CARD);
  await service.control.advance('0s');
  await vi.waitUntil(() => received.length > 0);
});
afterAll(async () => {
  await service?.stop();
  await merchant?.stop();
});

describe.each(['standardwebhooks', 'svix'])('R-54 %s', async (name) => {
  const { Webhook } = await installed<Library>(name);

  it('accepts a webhook of the service, and rejects it if one byte differs', () => {
    const webhook = new Webhook(SECRET);
    for (const { body, headers } of received) {
      expect(webhook.verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => webhook.verify(`${body} `, headers)).toThrow();
    }
  });

  it('signs a webhook that verifyWebhook accepts only with the same secret', async () => {
    const now = new Date();
    const body = received[0]?.body ?? '';
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(SECRET).sign('msg_1', now, body),
    };
    await expect(verifyWebhook(body, headers, SECRET)).resolves.toEqual(JSON.parse(body));
    const other = `whsec_${randomBytes(24).toString('base64')}`;
    await expect(verifyWebhook(body, headers, other)).rejects.toMatchObject({ kind: 'signature' });
  });
});
