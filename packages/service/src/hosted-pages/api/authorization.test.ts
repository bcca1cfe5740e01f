import { createHash, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advanceTo } from '../../../test/advance-to.js';
import { config, SLUG } from '../../../test/merchant.js';
import { BANK, CARD, open, type Payer } from '../../../test/payer.js';
import { parseConfig } from '../../platform/config/config.js';
import { startTestService } from '../../start/test-service.js';
import type { OpenTestService } from '../../start/test-service.js';
import { AUTHORIZATION_VERSION, type AgreedText } from '../../shared/authorization-text.js';
import { LANGUAGES, type PageLanguage } from '../../shared/languages.js';
import { LOCALES } from '../../texts/texts.js';
import type { AutopayPageSession, PaymentPageSession, SchedulePageSession } from '../../shared/page.js';

const agreed = (language: PageLanguage): AgreedText => ({ language, version: AUTHORIZATION_VERSION });
/** Agrees to the text that the page shows. */
const agreedOn = async (page: Payer, language: PageLanguage = 'en'): Promise<AgreedText> => ({
  ...agreed(language),
  terms: (await page.get<AutopayPageSession>()).terms,
});
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
    const authorization = await agreedOn(page, 'es');
    await Promise.all([1, 2, 3].map(() => page.pay({ attemptId, source: BANK, authorization })));
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

  it('R-99 needs no terms from a page whose session a process of release 0.3 returned', async () => {
    const page = await opened('payment');
    await page.pay({ source: BANK, authorization: agreed('es') });
    expect(await stored()).toMatchObject([{ text: expect.stringContaining('autorizo') as string }]);
  });

  it('is not stored for a card', async () => {
    const page = await opened('payment');
    await page.pay({ source: CARD, authorization: await agreedOn(page) });
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

  it.each([
    [['es'], /^Al presionar Pagar/],
    [['es', 'en'], /^By selecting “Pay,”/],
  ])(
    'is stored in a language of the business unit, %j, if the page names a test language',
    async (languages, text) => {
      const some = await startTestService({ config: config({ languages, locale: 'es' }) });
      const page = await open(some.fetch, 'payment');
      await page.pay({ source: BANK, authorization: await agreedOn(page, 'en-XA') });
      const { authorizations } = await some.control.state(SLUG);
      expect(authorizations).toEqual([{ text: expect.stringMatching(text), agreedAt: WHEN }]);
      await some.close();
    },
  );

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['who charges', { autopay: 'merchant' }, {}],
    ['the business name', { name: 'Harborlight Sewer' }, {}],
    ['the account name', {}, { Name: 'Zoe Other' }],
  ])(
    'R-73 refuses AutoPay if its page shows another text, because %s has changed',
    async (_, unit, account) => {
      const page = await opened('autopay');
      const { terms } = await page.get<AutopayPageSession>();
      const { id: methodId } = await page.addMethod(BANK);
      const enroll = (text: unknown) =>
        page.post('autopay/enroll', { methodId, authorization: { ...agreed('en'), terms: text } });
      Object.assign(service.deps.config, parseConfig(config(unit), 'staging'));
      const ClientAccount = { AccountNumber: '1001', ...account };
      await open(service.fetch, 'paperless', { SyncAccount: true, ClientAccount });
      const refused = (reason: string) => ({ status: 400, errors: [{ field: 'authorization', reason }] });
      for (const text of [terms, '', {}, null])
        await expect(enroll(text)).rejects.toMatchObject(refused('terms_changed'));
      const authorization = { ...agreed('en'), version: AUTHORIZATION_VERSION - 1, terms };
      await expect(page.post('autopay/enroll', { methodId, authorization })).rejects.toMatchObject(
        refused('page_outdated'),
      );
      expect(await stored()).toBeUndefined();
      await enroll((await page.get<AutopayPageSession>()).terms);
      expect(await stored()).toHaveLength(1);
    },
  );

  it('R-73 stores a changed text that the payer agrees to with the same bank account, once', async () => {
    const page = await opened('autopay');
    const { id: methodId } = await page.addMethod(BANK);
    await page.post('autopay/enroll', { methodId, authorization: await agreedOn(page) });
    Object.assign(service.deps.config, parseConfig(config({ name: 'Harborlight Sewer' }), 'staging'));
    const again = await opened('autopay');
    for (let twice = 0; twice < 2; twice++)
      await again.post('autopay/method', { methodId, authorization: await agreedOn(again) });
    expect(await stored()).toMatchObject([
      { text: expect.not.stringContaining('Sewer') as string, revokedAt: expect.any(String) as string },
      { text: expect.stringContaining('Harborlight Sewer') as string },
    ]);
    expect(await stored()).toHaveLength(2);
  });

  it('R-73 stores the text for a bank account whose enrollment has none', async () => {
    const page = await opened('autopay');
    const { id: methodId } = await page.addMethod(BANK);
    await page.post('autopay/enroll', { methodId, authorization: await agreedOn(page) });
    await service.deps.store.transaction(async (tx) => {
      const [{ authorizationId: _, ...enrollment } = expect.fail('not enrolled')] =
        await tx.autopay.list(SLUG);
      await tx.autopay.update(enrollment);
    });
    await page.post('autopay/method', { methodId, authorization: await agreedOn(page) });
    const [enrolled] = await service.deps.store.read((tx) => tx.autopay.list(SLUG));
    expect(enrolled?.authorizationId).toEqual(expect.any(String));
  });

  it('R-73 refuses a payment and a schedule if the business name has changed since their page was opened', async () => {
    const payment = await opened('payment');
    const schedule = await opened('schedule-payment');
    const { earliest: date, terms } = await schedule.get<SchedulePageSession>();
    const { id: methodId } = await schedule.addMethod(BANK);
    const authorization = { ...agreed('en'), terms: (await payment.get<PaymentPageSession>()).terms };
    Object.assign(service.deps.config, parseConfig(config({ name: 'Harborlight Sewer' }), 'staging'));
    const refused = { status: 400, errors: [{ field: 'authorization' }] };
    await expect(payment.pay({ source: BANK, authorization })).rejects.toMatchObject(refused);
    const body = { requestId: randomUUID(), amount: 100, date, methodId };
    await expect(
      schedule.post('schedule', { ...body, authorization: { ...agreed('en'), terms } }),
    ).rejects.toMatchObject(refused);
    expect(await stored()).toBeUndefined();
  });

  it('R-73 is stored with the day that its page shows, after midnight too', async () => {
    await advanceTo(service, '2027-03-01T23:50:00Z');
    const page = await opened('payment');
    const { terms } = await page.get<PaymentPageSession>();
    await advanceTo(service, '2027-03-02T00:05:00Z');
    await page.pay({ source: BANK, authorization: { ...agreed('en'), terms } });
    expect(await stored()).toMatchObject([{ text: expect.stringContaining('March\u00a01,\u00a02027') }]);
  });

  it('rejects a language that the business unit does not offer', async () => {
    const some = await startTestService({ config: config({ languages: ['en', 'es'] }) });
    const page = await open(some.fetch, 'payment');
    const pay = async (language: PageLanguage) =>
      page.pay({ source: BANK, authorization: await agreedOn(page, language) });
    await expect(pay('ht')).rejects.toMatchObject({ status: 400, errors: [{ field: 'authorization' }] });
    expect(await pay('es')).toMatchObject({ status: 'pending' });
    await some.close();
  });

  it('is stored for a scheduled payment and revoked when the payment is canceled', async () => {
    const page = await opened('schedule-payment');
    const { earliest: date } = await page.get<SchedulePageSession>();
    const { id: methodId } = await page.addMethod(BANK);
    const authorization = await agreedOn(page);
    const schedule = (amount: number): Promise<{ id: string }> =>
      page.schedule({ amount, date, methodId, authorization });
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
    await page.post('autopay/enroll', { methodId: one.id, authorization: await agreedOn(page) });
    await later();
    await page.post('autopay/method', { methodId: other.id, authorization: await agreedOn(page, 'fr') });
    expect(await stored()).toEqual([
      {
        text: expect.stringMatching(/^I authorize .* There is no maximum\.$/),
        agreedAt: WHEN,
        revokedAt: WHEN,
      },
      { text: expect.stringMatching(/^J’autorise Harborlight Water/), agreedAt: WHEN },
    ]);
    // For the same method and text the authorization remains; sending it again changes nothing.
    await page.post('autopay/enroll', { methodId: other.id, authorization: await agreedOn(page, 'fr') });
    expect(await stored()).toHaveLength(2);
    const enrollment = async () =>
      (await service.deps.store.read((tx) => tx.autopay.list(SLUG))).map((each) => each.authorizationId);
    expect(await enrollment()).toEqual([expect.any(String)]);
    const { id: methodId } = await page.addMethod(CARD);
    await page.post('autopay/method', { methodId, authorization: await agreedOn(page) });
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
  expect([AUTHORIZATION_VERSION, hash]).toEqual([3, '685a63a3fbdb12f8']);
});
