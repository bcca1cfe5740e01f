import { createHash, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { config, SLUG } from '../../../test/merchant.js';
import { BANK, CARD, open } from '../../../test/payer.js';
import { startTestService } from '../../start/test-service.js';
import type { OpenTestService } from '../../start/test-service.js';
import { AUTHORIZATION_VERSION, type AgreedText } from '../../shared/authorization-text.js';
import { LANGUAGES, type PageLanguage } from '../../shared/languages.js';
import { LOCALES } from '../../texts/texts.js';
import type { SchedulePageSession } from '../../shared/page.js';

const agreed = (language: PageLanguage): AgreedText => ({ language, version: AUTHORIZATION_VERSION });
const WHEN = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
let service: OpenTestService;
beforeEach(async () => {
  service = await startTestService({ config: config() });
});
afterEach(() => service.close());

const stored = async () => (await service.control.state(SLUG)).authorizations;
/** Records of the same millisecond have no order. */
const later = () => service.control.advance(1);
const opened = (flow: Parameters<typeof open>[1]) => open(service.fetch, flow);

describe('R-94 the authorization of a bank payment', () => {
  it('is stored in the service’s wording and the page’s language, once per payment', async () => {
    const page = await opened('payment');
    const attemptId = randomUUID();
    await Promise.all(
      [1, 2, 3].map(() => page.pay({ attemptId, source: BANK, authorization: agreed('es') })),
    );
    const text = expect.stringMatching(
      /^Al presionar Pagar, autorizo a Harborlight Water a debitar electrónicamente \$123\.45 de mi cuenta bancaria terminada en 6789/,
    );
    expect(await stored()).toEqual([{ text, agreedAt: WHEN }]);
    const { store } = service.deps;
    const [attempt] = await store.read((tx) => tx.attempts.ofSession(page.id));
    const id = attempt?.authorizationId ?? '';
    expect(await store.read((tx) => tx.authorizations.get(id))).toMatchObject({ text });
  });

  it.each([['I do NOT authorize anything.'], [null], [undefined]])(
    'ignores wording sent by the client: %j',
    async (authorization) => {
      await (await opened('payment')).pay({ source: BANK, authorization: authorization as never });
      expect(await stored()).toEqual([
        { text: expect.stringMatching(/^By selecting “Pay,” I authorize Harborlight Water/), agreedAt: WHEN },
      ]);
    },
  );

  it('is not stored for a card', async () => {
    await (await opened('payment')).pay({ source: CARD, authorization: agreed('en') });
    expect(await stored()).toBeUndefined();
  });

  it.each([
    7,
    {},
    { language: 'xx', version: AUTHORIZATION_VERSION },
    { language: 'en', version: 0 },
    { language: ['en'], version: AUTHORIZATION_VERSION },
  ])('rejects %j in every flow', async (authorization) => {
    const refused = { status: 400, errors: [{ field: 'authorization' }] };
    const payment = await opened('payment');
    await expect(payment.pay({ source: BANK, authorization: authorization as never })).rejects.toMatchObject(
      refused,
    );

    const page = await opened('autopay');
    const { id: methodId } = await page.addMethod(BANK);
    const schedule = await opened('schedule-payment');
    const { earliest: date } = await schedule.get<SchedulePageSession>();
    const body = { methodId, amount: 100, date, requestId: randomUUID(), authorization };
    await expect(page.post('autopay/enroll', body)).rejects.toMatchObject(refused);
    await expect(schedule.post('schedule', body)).rejects.toMatchObject(refused);
    const { autopay, scheduledPayments } = await service.control.state(SLUG);
    expect([autopay, scheduledPayments]).toEqual([[], []]);
  });

  it('is stored in a language that the business unit offers, if the page of an earlier release names none', async () => {
    const some = await startTestService({ config: config({ languages: ['es'] }) });
    await (await open(some.fetch, 'payment')).pay({ source: BANK });
    const { authorizations } = await some.control.state(SLUG);
    expect(authorizations).toEqual([{ text: expect.stringMatching(/^Al presionar Pagar/), agreedAt: WHEN }]);
    await some.close();
  });

  it('rejects AutoPay whose page says that somebody else charges', async () => {
    const page = await opened('autopay');
    const { id: methodId } = await page.addMethod(BANK);
    const enroll = (chargedBy: string) =>
      page.post('autopay/enroll', { methodId, authorization: { ...agreed('en'), chargedBy } });
    for (const chargedBy of ['merchant', '', 'Service'])
      await expect(enroll(chargedBy)).rejects.toMatchObject({
        status: 400,
        errors: [{ field: 'authorization' }],
      });
    expect(await stored()).toBeUndefined();
    await enroll('service');
    expect(await stored()).toHaveLength(1);
  });

  it('rejects a language that the business unit does not offer', async () => {
    const some = await startTestService({ config: config({ languages: ['en', 'es'] }) });
    const page = await open(some.fetch, 'payment');
    const pay = (language: PageLanguage) => page.pay({ source: BANK, authorization: agreed(language) });
    await expect(pay('ht')).rejects.toMatchObject({ status: 400, errors: [{ field: 'authorization' }] });
    expect(await pay('es')).toMatchObject({ status: 'pending' });
    await some.close();
  });

  it('is stored for a scheduled payment and revoked when the payment is canceled', async () => {
    const page = await opened('schedule-payment');
    const { earliest: date } = await page.get<SchedulePageSession>();
    const { id: methodId } = await page.addMethod(BANK);
    const schedule = (amount: number): Promise<{ id: string }> =>
      page.post('schedule', { requestId: randomUUID(), amount, date, methodId, authorization: agreed('en') });
    await schedule(100);
    await later();
    const { id } = await schedule(200);
    const manage = await opened('scheduled-payments');
    await manage.post(`scheduled/${id}/cancel`);
    await manage.post(`scheduled/${id}/cancel`);
    expect(await stored()).toEqual([
      { text: expect.stringContaining('once for $1.00 on '), agreedAt: WHEN },
      { text: expect.stringContaining('once for $2.00 on '), agreedAt: WHEN, revokedAt: WHEN },
    ]);
    await service.control.advance(86_400_000);
    const attempts = await service.deps.store.read((tx) => tx.attempts.ofSession(page.id));
    expect(attempts).toMatchObject([{ authorizationId: expect.stringMatching(/^aut_/) }]);
  });

  it('is revoked for AutoPay when the method changes and when the enrollment ends', async () => {
    const page = await opened('autopay');
    const one = await page.addMethod(BANK);
    const other = await page.addMethod({ ...BANK, accountNumber: '000111111116' });
    await page.post('autopay/enroll', { methodId: one.id, authorization: agreed('en') });
    await later();
    await page.post('autopay/method', { methodId: other.id, authorization: agreed('fr') });
    expect(await stored()).toEqual([
      {
        text: expect.stringMatching(/^I authorize .* There is no maximum\.$/),
        agreedAt: WHEN,
        revokedAt: WHEN,
      },
      { text: expect.stringMatching(/^J’autorise Harborlight Water/), agreedAt: WHEN },
    ]);
    // For the same method the authorization remains; sending it again changes nothing.
    await page.post('autopay/enroll', { methodId: other.id, authorization: agreed('en') });
    expect(await stored()).toHaveLength(2);
    const enrollment = async () =>
      (await service.deps.store.read((tx) => tx.autopay.list(SLUG))).map((each) => each.authorizationId);
    expect(await enrollment()).toEqual([expect.any(String)]);
    const { id: methodId } = await page.addMethod(CARD);
    await page.post('autopay/method', { methodId, authorization: agreed('en') });
    expect(await enrollment()).toEqual([undefined]);
    await page.post('autopay/unenroll');
    expect((await stored())?.every(({ revokedAt }) => revokedAt !== undefined)).toBe(true);
  });
});

it('R-94 the version changes with the wording', () => {
  const words = LANGUAGES.map((language) =>
    Object.entries(LOCALES[language].messages).filter(([key]) => key.startsWith('authorization.')),
  );
  const hash = createHash('sha256').update(JSON.stringify(words)).digest('hex').slice(0, 16);
  // If this fails because you changed a text, raise AUTHORIZATION_VERSION and put the new hash here.
  expect([AUTHORIZATION_VERSION, hash]).toEqual([2, '1be746c89364ea98']);
});
