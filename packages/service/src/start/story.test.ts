/** A support call: what happened to the payer of this session? */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { collectLog, type LogLine } from '../../test/collect-log.js';
import { SECRETS, SLUG, config } from '../../test/merchant.js';
import { asMerchant, CARD, DECLINED, open } from '../../test/payer.js';
import { startReceiver } from '../../test/receiver.js';
import { parseConfig } from '../platform/config/config.js';
import { serve } from './serve.js';

const CHALLENGED = { ...CARD, cardNumber: '4000 0000 0000 3220' };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** A line as one would tell it. */
function describeLine({ msg, route, status, outcome, codes }: LogLine): string {
  const what = msg === 'request' ? `${String(route)} ${String(status)}` : msg;
  return [what, outcome, ...((codes as string[] | undefined) ?? [])].filter(Boolean).join(' ');
}

it('finds the full history of a payment in the log by one session id', async () => {
  const receiver = await startReceiver();
  stops.push(() => receiver.close());
  const { log, lines } = collectLog();
  const service = await serve({
    env: 'staging',
    config: parseConfig(config({ webhook: { url: receiver.url, secrets: SECRETS } }), 'staging'),
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    log,
  });
  stops.push(() => service.close());
  const ask = (path: string, init?: RequestInit) => fetch(new URL(path, service.url), init);

  const other = await open(ask, 'payment');
  const payer = await open(ask, 'payment');
  await ask(`/s/${payer.id}`);
  await payer.get('session');
  await other.pay();
  await payer.pay({ source: DECLINED });
  const attemptId = randomUUID();
  const challenged = await payer.pay({ source: CHALLENGED, attemptId });
  if (challenged.status !== 'requires_action') throw new Error(challenged.status);
  const form = new URLSearchParams({ answer: 'approved' });
  await fetch(challenged.action.url, { method: 'POST', body: form, redirect: 'manual' });
  await payer.post(`attempts/${attemptId}/returned`);
  await expect.poll(() => receiver.types()).toContain('payment.succeeded');

  const story = () => lines.filter(({ sessionId }) => sessionId === payer.id);
  const payments = new Set(story().flatMap(({ paymentId }) => (paymentId === undefined ? [] : [paymentId])));
  expect(payments.size).toBe(2);
  const [, paymentId] = [...payments];
  const refund = await asMerchant(ask, '/integrations/payments/refund', { PaymentIdentifier: paymentId });
  expect(refund.status).toBe(200);

  const expected = [
    '/integrations/embedded/initiate 200 RequiresPaymentSource',
    '/s/:id 200',
    '/s/:id/api/session 200 RequiresPaymentSource',
    'Payment outcome recorded declined card_declined',
    '/s/:id/api/pay 200 declined',
    'Webhook delivered delivered',
    '/s/:id/api/pay 200 requires_action',
    '/test-processor/challenge 303',
    'Payment outcome recorded succeeded',
    '/s/:id/api/attempts/:attemptId/returned 200 succeeded',
    'Webhook delivered delivered',
    'Refund outcome recorded succeeded',
    '/integrations/payments/refund 200 succeeded',
    'Webhook delivered delivered',
  ];
  // Webhooks are delivered in the background.
  await expect.poll(() => story().map(describeLine).toSorted()).toEqual(expected.toSorted());
  const isInBackground = (line: string): boolean => line.startsWith('Webhook');
  expect(
    story()
      .map(describeLine)
      .filter((line) => !isInBackground(line)),
  ).toEqual(expected.filter((line) => !isInBackground(line)));
  expect(
    story().filter(
      ({ route, businessUnit }) => route !== '/test-processor/challenge' && businessUnit !== SLUG,
    ),
  ).toEqual([]);
  expect(
    story().filter(({ messageId, paymentId: id }) => messageId === undefined && id === paymentId),
  ).not.toEqual([]);
});
