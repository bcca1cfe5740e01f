/** The complete session response of each page, so missing or extra fields are noticed. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { account, config } from '../../../test/merchant.js';
import { BANK, CARD, open } from '../../../test/payer.js';
import type { Payer } from '../../../test/payer.js';
import { SqliteTransactions } from '../../platform/databases/sqlite-transactions.js';
import { startTestService } from '../../start/test-service.js';
import type { OpenTestService } from '../../start/test-service.js';
import type { PaymentPageSession, SchedulePageSession } from '../../shared/page.js';

const WHEN = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
const DAY = expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string;
const LOGO = 'https://cdn.example/logo.svg';
const FIELDS = [
  { key: 'Invoice', label: 'Invoice number', required: true },
  { key: 'Memo', label: 'Memo', required: false },
];
const ADA = { EmailAddress: 'ada@example.com', FirstName: 'Ada', LastName: 'Byron' };
const CUSTOMER = { emailAddress: 'ada@example.com', firstName: 'Ada', lastName: 'Byron' };
const HOME = {
  AccountNumber: '1001',
  SubAccountNumber: 'a',
  Name: 'Ada Byron',
  Balance: 5_000,
  PhoneNumber: '+15550100',
  DueDate: '2031-02-03',
  IssueDate: '2031-01-03',
  Note: 'call first',
  Address: {
    StreetAddress: '12 Analytical Row',
    StreetAddress2: 'Flat 2',
    City: 'Portland',
    State: 'ME',
    ZipCode: '04101',
  },
};
const HOME_SHOWN = {
  accountNumber: '1001',
  subAccountNumber: 'a',
  name: 'Ada Byron',
  balance: 5_000,
  phoneNumber: '+15550100',
  dueDate: '2031-02-03',
  issueDate: '2031-01-03',
  note: 'call first',
  address: {
    streetAddress: '12 Analytical Row',
    streetAddress2: 'Flat 2',
    city: 'Portland',
    state: 'ME',
    zipCode: '04101',
  },
};

let service: OpenTestService;
const begin = async (unit: Record<string, unknown> = {}): Promise<void> => {
  service = await startTestService({ config: config(unit) });
};
afterEach(() => service.close());
const opened = (flow: Parameters<typeof open>[1], body: Record<string, unknown> = {}): Promise<Payer> =>
  open(service.fetch, flow, body);
/** Facts of the authorization. */
const TERMS = expect.stringContaining('Harborlight Water') as string;
const base = (page: Payer, more: object = {}): object => ({
  id: page.id,
  environment: 'staging',
  now: WHEN,
  today: DAY,
  expiresAt: WHEN,
  testMode: true,
  business: { name: 'Harborlight Water' },
  ...more,
});

describe('R-28 R-29 R-33 R-35 the page of a payment', () => {
  it('has no empty fields for a single charge', async () => {
    await begin();
    const page = await opened('payment');
    expect(await page.get()).toEqual(
      base(page, {
        flow: 'payment',
        status: 'RequiresPaymentSource',
        channel: 'QuickPay',
        charges: [
          {
            index: 0,
            amount: 12_345,
            description: 'Water',
            selectable: false,
            adjustable: false,
            maxAmount: 12_345,
          },
        ],
        fields: [],
        methods: ['Credit Card', 'ACH'],
        terms: TERMS,
        savedMethods: [],
        canSave: false,
        attemptsLeft: 10,
        chargeMeta: [null],
      }),
    );
    const { now, expiresAt } = await page.get();
    expect(Date.parse(expiresAt) - Date.parse(now)).toBeGreaterThan(29 * 60_000);
  });

  it('has every detail the merchant sent for several accounts', async () => {
    await begin({
      logoUrl: LOGO,
      allowAmountAdjustment: true,
      paymentFields: FIELDS,
      countries: ['US', 'AE', 'CA'],
    });
    const wallet = await opened('wallet', { ClientUser: ADA });
    const card = await wallet.addMethod();
    const page = await opened('payment', {
      ClientUser: ADA,
      ClientReference: 'ref-1',
      PaymentDescriptor: 'HARBORLIGHT',
      PaymentFields: { Invoice: 7 },
      SuccessUrl: 'https://shop.example/paid',
      ReturnUrl: 'https://shop.example/bill',
      CustomMeta: { a: 1 },
      Charges: [
        { Amount: 1_000, Description: ' ', CustomMeta: { b: 2 }, ClientAccount: HOME },
        { Amount: 2_000, Description: 'Gas', ...account('2') },
      ],
    });
    const paying = base(page, {
      business: { name: 'Harborlight Water', logoUrl: LOGO },
      countries: ['US', 'AE', 'CA'],
      withoutPostcode: ['AE'],
      customer: CUSTOMER,
      flow: 'payment',
      status: 'RequiresPaymentSource',
      channel: 'QuickPay',
      descriptor: 'HARBORLIGHT',
      clientReference: 'ref-1',
      charges: [
        {
          index: 0,
          amount: 1_000,
          account: HOME_SHOWN,
          selectable: true,
          adjustable: true,
          maxAmount: 5_000,
        },
        {
          index: 1,
          amount: 2_000,
          description: 'Gas',
          account: { accountNumber: '2', subAccountNumber: '', name: 'Account 2' },
          selectable: true,
          adjustable: true,
          maxAmount: 2_000,
        },
      ],
      fields: [{ ...FIELDS[0], value: '7' }, FIELDS[1]],
      methods: ['Credit Card', 'ACH'],
      terms: TERMS,
      savedMethods: [card],
      canSave: true,
      successUrl: 'https://shop.example/paid',
      returnUrl: 'https://shop.example/bill',
      attemptsLeft: 10,
      customMeta: { a: 1 },
      chargeMeta: [{ b: 2 }, null],
    });
    expect(await page.get()).toEqual(paying);
    const attemptId = 'attempt-1';
    const { receipt } = (await page.pay({
      attemptId,
      charges: [
        { index: 0, amount: 4_000 },
        { index: 1, amount: 2_000 },
      ],
    })) as { receipt: object };
    expect(receipt).toEqual({
      attemptId,
      number: expect.stringMatching(/^\d{5} \d{5}$/) as string,
      holder: 'Ada Byron',
      status: 'succeeded',
      amount: 6_000,
      method: 'Credit Card',
      brand: 'Visa',
      last4: '4242',
      paidAt: WHEN,
      charges: [
        {
          index: 0,
          amount: 4_000,
          account: { accountNumber: '1001', subAccountNumber: 'a', name: 'Ada Byron' },
        },
        {
          index: 1,
          amount: 2_000,
          description: 'Gas',
          account: { accountNumber: '2', subAccountNumber: '', name: 'Account 2' },
        },
      ],
    });
    const { charges, ...rest } = paying as PaymentPageSession;
    const { customer: _, ...finished } = rest;
    expect(await page.get()).toEqual({
      ...finished,
      status: 'Succeeded',
      charges: charges.map(({ account: __, ...charge }) => charge),
      fields: FIELDS,
      savedMethods: [],
      canSave: false,
      receipt,
    });
  });

  it('has the agent of a POS session', async () => {
    await begin();
    const page = await opened('payment', { Channel: 'POS', PosUser: 'agent@harborlight.example' });
    expect(await page.get()).toMatchObject({ channel: 'POS', posUser: 'agent@harborlight.example' });
    await page.pay();
    expect(await page.get()).not.toHaveProperty('posUser');
  });
});

describe('R-57 D-2 the pages of management', () => {
  const OWNER = { ClientUser: ADA, SyncAccount: true, ClientAccount: HOME };
  const management = (page: Payer, more: object): object =>
    base(page, {
      customer: CUSTOMER,
      status: 'Open',
      ...more,
    });
  const METHODS = { methods: ['Credit Card', 'ACH'], savedMethods: [] };

  it('have the data of their flow', async () => {
    await begin({ logoUrl: LOGO });
    const business = { name: 'Harborlight Water', logoUrl: LOGO };
    const shown = { business, account: HOME_SHOWN };
    const wallet = await opened('wallet', { ClientUser: ADA });
    expect(await wallet.get()).toEqual(
      management(wallet, { ...METHODS, business, flow: 'wallet', editsExpiry: true, maxMethods: 20 }),
    );
    const notifications = await opened('notifications', { ClientUser: ADA });
    const emailAlone = { email: true, sms: false };
    const kinds = Object.fromEntries(
      ['payment-confirmation', 'payment-reminder', 'bill-ready', 'autopay', 'autopay-reminder'].map(
        (kind) => [kind, emailAlone],
      ),
    );
    expect(await notifications.get()).toEqual(
      management(notifications, { business, flow: 'notifications', preferences: { kinds } }),
    );
    const autopay = await opened('autopay', OWNER);
    expect(await autopay.get()).toEqual(
      management(autopay, { ...METHODS, ...shown, flow: 'autopay', chargedBy: 'service', terms: TERMS }),
    );
    const paperless = await opened('paperless', OWNER);
    expect(await paperless.get()).toEqual(
      management(paperless, { ...shown, flow: 'paperless', enrolled: false }),
    );
    const schedule = await opened('schedule-payment', OWNER);
    expect(await schedule.get()).toEqual(
      management(schedule, {
        ...METHODS,
        ...shown,
        flow: 'schedule-payment',
        terms: TERMS,
        earliest: DAY,
        latest: DAY,
        scheduled: [],
      }),
    );
    const scheduled = await opened('scheduled-payments', OWNER);
    expect(await scheduled.get()).toEqual(
      management(scheduled, { ...shown, flow: 'scheduled-payments', scheduled: [] }),
    );
  });

  it('have the current uses of each method', async () => {
    await begin();
    const autopay = await opened('autopay', OWNER);
    const card = await autopay.addMethod(CARD);
    const bank = await autopay.addMethod(BANK);
    expect(card).toEqual({
      id: card.id,
      method: 'Credit Card',
      brand: 'Visa',
      last4: '4242',
      expiry: '12/34',
      holder: 'Ada Byron',
      isDefault: true,
      usedBy: [],
    });
    expect(bank.id).toMatch(/^pm_[\w-]+$/);
    expect(bank).toEqual({
      id: bank.id,
      method: 'ACH',
      last4: '6789',
      holder: 'Ada Byron',
      isDefault: false,
      usedBy: [],
    });
    const enrolled = await autopay.post('autopay/enroll', { methodId: bank.id });
    expect(enrolled).toEqual({
      method: { ...bank, usedBy: ['autopay'] },
      enrolledOn: DAY,
      next: { amount: HOME_SHOWN.balance, date: HOME_SHOWN.dueDate },
    });
    expect(await autopay.get()).toEqual(
      management(autopay, {
        ...METHODS,
        account: HOME_SHOWN,
        flow: 'autopay',
        chargedBy: 'service',
        terms: TERMS,
        savedMethods: [card, { ...bank, usedBy: ['autopay'] }],
        enrollment: enrolled,
      }),
    );
    const page = await opened('schedule-payment', OWNER);
    const { earliest: date } = await page.get<SchedulePageSession>();
    const body = { requestId: 'request-1', amount: 100, date, methodId: card.id };
    const scheduled = await page.post<object>('schedule', body);
    expect(scheduled).toEqual({
      id: expect.stringMatching(/^sch_/) as string,
      amount: 100,
      date,
      method: { ...card, usedBy: ['scheduled-payment'] },
      status: 'scheduled',
    });
    expect(await page.get()).toMatchObject({ scheduled: [scheduled] });
  });
});

/** The SQL that `work` runs. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const execute = vi.spyOn(SqliteTransactions.prototype, 'executeQuery');
  await work();
  const statements = execute.mock.calls.map(([{ sql }]) => sql);
  execute.mockRestore();
  return statements;
}

it('R-91 reads a wallet with several methods in as many statements as with one', async () => {
  await begin();
  const page = await opened('wallet');
  const read = () => statementsOf(() => page.get());
  await page.addMethod();
  const withOne = await read();
  for (const cardNumber of ['5555 5555 5555 4444', '6011 1111 1111 1117'])
    await page.addMethod({ ...CARD, cardNumber });
  expect(withOne.length).toBeGreaterThan(3);
  expect(await read()).toHaveLength(withOne.length);
});

it('R-91 R-106 sums the payments of a bill once to enroll and to show the enrollment', async () => {
  await begin();
  const bill = account('1001', { Balance: 5_000, DueDate: '2031-02-03' });
  const page = await opened('autopay', { ...bill, SyncAccount: true });
  const { id: methodId } = await page.addMethod();
  for (const work of [() => page.post('autopay/enroll', { methodId }), () => page.get()]) {
    const statements = await statementsOf(work);
    expect(statements.filter((sql) => /from account_payments/.test(sql))).toHaveLength(1);
  }
});
