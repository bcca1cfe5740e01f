import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { config, SLUG } from '../../../test/merchant.js';
import { BANK, CARD, open } from '../../../test/payer.js';
import { startTestService } from '../../start/test-service.js';
import type { OpenTestService } from '../../start/test-service.js';
import type { SchedulePageSession } from '../../shared/page.js';

const TEXT = 'I authorize Harborlight Water to debit my account ending in 6789\nonce, for $123.45.';
const WHEN = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
let service: OpenTestService;
beforeEach(async () => {
  service = await startTestService({ config: config() });
});
afterEach(() => service.close());

const kept = async () => (await service.control.state(SLUG)).authorizations;
/** Records of the same millisecond have no order. */
const later = () => service.control.advance(1);
const opened = (flow: Parameters<typeof open>[1]) => open(service.fetch, flow);

describe('R-73 the authorization of a bank payment', () => {
  it('is kept as it was shown, and when, once per payment', async () => {
    const longest = 'x'.repeat(4_000);
    const before = await opened('payment');
    expect(await before.pay({ source: BANK, authorization: longest })).toMatchObject({ status: 'pending' });
    await later();
    const page = await opened('payment');
    const attemptId = randomUUID();
    await Promise.all([1, 2, 3].map(() => page.pay({ attemptId, source: BANK, authorization: TEXT })));
    expect(await kept()).toEqual([
      { text: longest, agreedAt: WHEN },
      { text: TEXT, agreedAt: WHEN },
    ]);
    const { store } = service.deps;
    const [attempt] = await store.read((tx) => tx.attempts.ofSession(page.id));
    const id = attempt?.authorizationId ?? '';
    expect(await store.read((tx) => tx.authorizations.get(id))).toMatchObject({ text: TEXT });
  });

  it('is not kept of a card, nor where a page sends none', async () => {
    await (await opened('payment')).pay({ source: CARD, authorization: TEXT });
    await (await opened('payment')).pay({ source: BANK });
    expect(await kept()).toBeUndefined();
  });

  it.each(['', ' \n', 'x'.repeat(4_001), 'a\u0000b', '\ud800', 7, {}])(
    'is refused: %j',
    async (authorization) => {
      const page = await opened('payment');
      const refused = page.pay({ source: BANK, authorization: authorization as string });
      await expect(refused).rejects.toMatchObject({ status: 400, errors: [{ field: 'authorization' }] });
    },
  );

  it('of AutoPay or a scheduled payment is refused as that of a payment is, and neither is there', async () => {
    const page = await opened('autopay');
    const { id: methodId } = await page.addMethod(BANK);
    const schedule = await opened('schedule-payment');
    const { earliest: date } = await schedule.get<SchedulePageSession>();
    const wish = { methodId, amount: 100, date, requestId: randomUUID(), authorization: 'a\u0000b' };
    for (const refused of [page.post('autopay/enroll', wish), schedule.post('schedule', wish)])
      await expect(refused).rejects.toMatchObject({ status: 400, errors: [{ field: 'authorization' }] });
    const { autopay, scheduledPayments } = await service.control.state(SLUG);
    expect([autopay, scheduledPayments]).toEqual([[], []]);
  });

  it('of a scheduled payment goes with the payment, and is revoked when it is canceled', async () => {
    const page = await opened('schedule-payment');
    const { earliest: date } = await page.get<SchedulePageSession>();
    const { id: methodId } = await page.addMethod(BANK);
    const schedule = (): Promise<{ id: string }> =>
      page.post('schedule', { requestId: randomUUID(), amount: 100, date, methodId, authorization: TEXT });
    await schedule();
    await later();
    const { id } = await schedule();
    const manage = await opened('scheduled-payments');
    await manage.post(`scheduled/${id}/cancel`);
    await manage.post(`scheduled/${id}/cancel`);
    expect(await kept()).toEqual([
      { text: TEXT, agreedAt: WHEN },
      { text: TEXT, agreedAt: WHEN, revokedAt: WHEN },
    ]);
    await service.control.advance(86_400_000);
    const attempts = await service.deps.store.read((tx) => tx.attempts.ofSession(page.id));
    expect(attempts).toMatchObject([{ authorizationId: expect.stringMatching(/^aut_/) }]);
  });

  it('of AutoPay is revoked by another method and by leaving', async () => {
    const page = await opened('autopay');
    const one = await page.addMethod(BANK);
    const other = await page.addMethod(BANK);
    await page.post('autopay/enroll', { methodId: one.id, authorization: 'first' });
    await later();
    await page.post('autopay/method', { methodId: other.id, authorization: 'second' });
    expect(await kept()).toEqual([
      { text: 'first', agreedAt: WHEN, revokedAt: WHEN },
      { text: 'second', agreedAt: WHEN },
    ]);
    // For the same method the authorization remains; sending it again changes nothing.
    await page.post('autopay/enroll', { methodId: other.id, authorization: 'second' });
    expect(await kept()).toHaveLength(2);
    const enrollment = async () =>
      (await service.deps.store.read((tx) => tx.autopay.list(SLUG))).map((each) => each.authorizationId);
    expect(await enrollment()).toEqual([expect.any(String)]);
    const { id: methodId } = await page.addMethod(CARD);
    await page.post('autopay/method', { methodId, authorization: null });
    expect(await enrollment()).toEqual([undefined]);
    await page.post('autopay/unenroll');
    expect((await kept())?.every(({ revokedAt }) => revokedAt !== undefined)).toBe(true);
  });
});
