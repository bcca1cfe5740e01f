import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { config, SLUG } from '../../../test/merchant.js';
import { asMerchant, BANK, open, payer, RETURNED } from '../../../test/payer.js';
import { startTestService } from '../../start/test-service.js';
import type { OpenTestService } from '../../start/test-service.js';
import type { PaymentPageSession, Receipt } from '../../shared/page.js';

const HOUR_MS = 3_600_000;
const PERSON = {
  ClientUser: { EmailAddress: 'ada@example.com', FirstName: 'Adelaide', LastName: 'Byron' },
  PaymentFields: { Memo: 'hers' },
  CustomMeta: { of: 'Byron' },
  PaymentDescriptor: 'Byron Water',
  SuccessUrl: 'https://water.example/paid?by=Byron',
  ReturnUrl: 'https://water.example/of/Byron',
  Charges: [
    {
      Amount: 12_345,
      Description: 'Water of Byron',
      CustomMeta: { of: 'Byron' },
      ClientAccount: {
        AccountNumber: '1001',
        Name: 'Adelaide Byron',
        PhoneNumber: '+15550100',
        Note: 'call her first',
        Address: { StreetAddress: '12 Analytical Row' },
      },
    },
  ],
};
const OF_A_PERSON = /ada@example|Adelaide|hers|call her|Analytical|5550100|9876/;
let service: OpenTestService;
beforeEach(async () => {
  const paymentFields = [{ key: 'Memo', label: 'Memo', required: false }];
  service = await startTestService({ config: config({ paymentFields }) });
});
afterEach(() => service.close());

const opened = (ClientReference = 'byron-1') =>
  open(service.fetch, 'payment', { ...PERSON, ClientReference });
const text = async (page: Awaited<ReturnType<typeof opened>>, path = 'session') =>
  (await page.send(path)).text();

describe('R-64 the link of a session', () => {
  it.each([
    ['a card', {}, 'Succeeded'],
    ['a bank account', { source: BANK }, 'Processing'],
  ])('shows the receipt of a payment by %s for a day, then no personal data', async (_, change, status) => {
    const page = await opened();
    const attemptId = 'attempt-1';
    expect(await text(page)).toMatch(OF_A_PERSON);
    await page.pay({ ...change, attemptId });
    const wallet = await open(service.fetch, 'wallet');
    await wallet.addMethod();
    const finished = await page.get();
    expect(finished).toMatchObject({ status, savedMethods: [], receipt: { amount: 12_345 } });
    const { receipt: _receipt, ...rest } = finished as typeof finished & { receipt: unknown };
    expect(JSON.stringify(rest)).not.toMatch(OF_A_PERSON);
    await service.control.advance(24 * HOUR_MS - 60_000);
    expect(await page.get()).toHaveProperty('receipt');
    await service.control.advance(60_000);
    for (const days of [0, 400]) {
      await service.control.advance(days * 24 * HOUR_MS);
      expect(await page.get()).not.toHaveProperty('receipt');
      expect(await text(page)).not.toMatch(OF_A_PERSON);
      expect(await text(page)).not.toMatch(/byron/i);
      expect((await page.send(`attempts/${attemptId}`)).status).toBe(410);
      await expect(page.pay({ attemptId })).rejects.toMatchObject({ status: 410 });
    }
  });

  it('shows that a payment saved its method, and nothing else of the wallet', async () => {
    const page = await opened();
    const paid = await page.pay({ attemptId: 'attempt-1', saveMethod: true });
    const [method] = await service.deps.store.read((tx) => tx.methods.list(SLUG));
    expect(paid).toHaveProperty('savedMethod', { id: method?.id });
  });

  it('R-72 shows what was refunded, and when, once the refund is complete', async () => {
    const page = await opened();
    const paid = (await page.pay({ attemptId: 'attempt-1' })) as { receipt: Receipt };
    expect(paid.receipt).not.toHaveProperty('refunds');
    const [payment] = await service.deps.store.read((tx) => tx.attempts.ofSession(page.id));
    const refund = vi.spyOn(service.deps.processor!, 'refund');
    for (const [Amount, outcome] of [
      [500, 'succeeded'],
      [700, 'failed'],
      [900, 'pending'],
    ] as const) {
      refund.mockResolvedValueOnce(outcome);
      await asMerchant(service.fetch, '/integrations/payments/refund', {
        PaymentIdentifier: payment?.id,
        Amount,
      });
      await service.control.advance(1_000);
    }
    const refunds = [{ amount: 500, at: expect.stringMatching(/^\d{4}-.+Z$/) as string }];
    expect(await page.get()).toMatchObject({ receipt: { refunds } });
    expect(await page.get('attempts/attempt-1')).toMatchObject({ receipt: { refunds } });
  });

  it('shows no personal data after an expiry', async () => {
    const expired = await opened();
    await service.control.advance(2 * HOUR_MS);
    expect(await text(expired)).toContain(PERSON.ReturnUrl);
    await service.control.advance(70 * HOUR_MS);
    expect(await text(expired)).not.toMatch(OF_A_PERSON);
    expect(await text(expired)).not.toMatch(/byron/i);
    expect((await payer(service.fetch, expired.id, expired.secret).send('session')).status).toBe(410);
  });

  it('says which payment the bank returned, for 70 days and without other personal data', async () => {
    const page = await opened();
    const { receipt } = (await page.pay({ source: RETURNED })) as { receipt: Receipt };
    await service.control.advance(72 * HOUR_MS);
    const { number, amount, method, last4, paidAt } = receipt;
    expect(await page.get()).toMatchObject({ status: 'Failed' });
    expect((await page.get<PaymentPageSession>()).returned).toEqual({
      number,
      amount,
      method,
      last4,
      paidAt,
    });
    for (const days of [0, 67]) {
      await service.control.advance(days * 24 * HOUR_MS);
      expect(await text(page)).not.toMatch(OF_A_PERSON);
      expect(await text(page)).not.toMatch(/byron/i);
    }
    expect(await page.get()).not.toHaveProperty('returned');
  });
});
