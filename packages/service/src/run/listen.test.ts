import { FLOWS } from '@embedded-sessions/server-types';
import { expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { startReceiver } from '../../test/receiver.js';
import { dev } from './dev.js';
import { listen } from './listen.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

it('R-90 carries the webhooks of a running service to a backend, signed, and once more when they are sent again', async () => {
  const receiver = await startReceiver();
  const service = await dev({ port: 0, config: 'there-is-none.json', log: silent });
  const [base = '', token = ''] = (service.inspector ?? '').split('/#');
  const ask = async <T>(path: string, body: object): Promise<T> => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as T;
  };
  const stop = new AbortController();
  const printed: string[] = [];
  const listening = listen({
    inspector: service.inspector ?? '',
    forwardTo: receiver.url,
    print: (line) => printed.push(line),
    signal: stop.signal,
  });
  await expect.poll(() => printed.length).toBe(1);
  const { sessionId } = await ask<{ sessionId: string }>('/try', {
    path: FLOWS.payment.endpoint,
    body: { BusinessUnitSlug: service.sample?.businessUnit, Channel: 'QuickPay', Charges: [{ Amount: 500 }] },
  });
  await ask(`/sessions/${sessionId}/pay`, { method: 'Credit Card', last4: '4242' });
  await expect.poll(() => printed.at(-1)).toMatch(/^payment\.succeeded msg_\S+ → 2\d\d$/);
  const id = printed.at(-1)?.split(' ')[1];
  await ask(`/webhooks/${id}/resend`, {});
  await expect.poll(() => printed.filter((line) => line.includes(String(id))).length).toBe(2);
  expect(receiver.types().filter((type) => type === 'payment.succeeded')).toHaveLength(2);
  for (const { headers, body } of receiver.received)
    new Webhook(service.sample?.webhookSecret ?? '').verify(body, headers);

  stop.abort();
  await expect(listening).rejects.toThrow('aborted');
  await service.close();
  await receiver.close();
});
