import { afterEach, beforeEach, expect, it } from 'vitest';
import { SECRETS, SLUG, config } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { startReceiver, type Receiver } from '../../test/receiver.js';
import { createTestService, type TestService } from '../index.js';

let receiver: Receiver;
let service: TestService;
beforeEach(async () => {
  receiver = await startReceiver();
  const paymentFields = [
    { key: 'InvoiceNumber', label: 'Invoice number', required: true },
    { key: 'Branch', label: 'Branch', required: true },
  ];
  const webhook = { url: receiver.url, secrets: SECRETS };
  service = await createTestService({ config: config({ webhook, paymentFields }) });
});
afterEach(async () => {
  await service.close();
  await receiver.close();
});

const session = async (body: Record<string, unknown> = {}): Promise<string> =>
  (await open(service.fetch, 'payment', { PaymentFields: { Branch: 'Pier 4' }, ...body })).id;

it('a payment, its webhook and its session need no browser', async () => {
  const id = await session();
  expect(await service.control.pay(id)).toMatchObject({ status: 'succeeded', receipt: { amount: 12_345 } });
  await service.control.advance(0);
  expect(receiver.received.map(({ event }) => [event.type, event.data.Status])).toEqual([
    ['payment.succeeded', 'Succeeded'],
  ]);
  expect((await service.control.state(SLUG)).sessions).toEqual([
    { id, flow: 'payment', status: 'Succeeded' },
  ]);
});

it.each([
  ['4000 0000 0000 0002', 'declined', 'declined'],
  ['378282246310005', 'succeeded', 'succeeded'],
  ['000123456789', 'pending', 'succeeded'],
  ['000111111116', 'pending', 'returned'],
])('%s is %s, and two days later %s', async (card, status, later) => {
  expect(await service.control.pay(await session(), card)).toMatchObject({ status });
  await service.control.advance(2 * 86_400_000);
  expect((await service.control.state(SLUG)).payments).toMatchObject([{ status: later }]);
});

it('pays every charge of a session, and reports why it can’t pay', async () => {
  const id = await session({ Charges: [{ Amount: 100 }, { Amount: 23 }] });
  expect(await service.control.pay(id)).toMatchObject({ receipt: { amount: 123 } });
  await expect(service.control.pay(id)).rejects.toThrow('already been paid');
  await expect(service.control.pay('stg_none')).rejects.toThrow('There is no such session.');
  await expect(service.control.pay(await session(), '4242424242424241')).rejects.toThrow('Not paid: ');
  await expect(service.control.pay((await open(service.fetch, 'wallet')).id)).rejects.toThrow('no payment');
  const late = await session();
  await service.control.advance(31 * 60_000);
  await expect(service.control.pay(late)).rejects.toThrow('expired');
});

it('exposes no internals', () => {
  expect(Object.keys(service).toSorted()).toEqual(['close', 'control', 'fetch']);
});
