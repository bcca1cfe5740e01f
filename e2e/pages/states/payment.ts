/** The payment page before, during and after the payment. */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import {
  AGENT,
  BANK_OK,
  BUSINESS_UNIT,
  CARD_DECLINED,
  fillBank,
  fillCard,
  openTab,
  type CreatedSession,
} from '../../harness/index.js';
import {
  ask,
  BANK,
  CARD,
  DECLINED,
  pay,
  save,
  schedule,
  someAccount,
  someCustomer,
  visit,
  WITHOUT_METHODS,
  type Stage,
} from '../stage.js';
import {
  heading,
  open,
  openAfter,
  press,
  pressAndFail,
  REDIRECTS,
  type Body,
  type PageState,
} from './reach.js';

const INVOICE = { InvoiceNumber: 'INV-2026-1102' };
async function openPayment(stage: Stage, body: Body = {}): Promise<Page> {
  return open(stage, stage.full, 'payment', { PaymentFields: INVOICE, ...body });
}

/** Delays the page's requests to `path` until the state was tested, or drops them. */
function hold(page: Page, path: string | RegExp, drop = false): Promise<unknown> {
  return page.route(path, (route) => (drop ? route.abort() : undefined));
}

async function payOn(page: Page, cardNumber?: string): Promise<Page> {
  await fillCard(page, cardNumber);
  await press(page, /^Pay/);
  return page;
}

const LONG_NAME = 'Consolidated Municipal Water, Sewer and Stormwater Authority of Greater Kennebunkport';
const TWO_LINES = [
  { Amount: 1234, Description: 'Water and sewer, November' },
  { Amount: 250, Description: 'Paper bill' },
];

const DETAILED = {
  AccountNumber: 'HW-20481',
  Name: 'Dana Reyes',
  Balance: 8420,
  PhoneNumber: '(207) 555-0123',
  DueDate: '2026-12-05',
  IssueDate: '2026-11-12',
  Note: 'Your meter was read on November 10.',
  Address: { StreetAddress: '12 Quay Street', City: 'Portland', State: 'ME', ZipCode: '04101' },
};

export const PAYMENT: readonly PageState[] = [
  {
    name: 'payment',
    gallery: 'Payment, no account',
    reach: (stage) => openPayment(stage, { Charges: TWO_LINES.slice(0, 1) }),
  },
  {
    name: 'payment-opening',
    async reach(stage) {
      const { page } = stage;
      await hold(page, '**/api/session');
      await page.goto((await stage.full.create('payment')).sessionUrl);
      await page.getByRole('status', { name: 'Loading…' }).waitFor();
      return page;
    },
  },
  {
    name: 'payment-problems',
    gallery: 'Payment, missing fields',
    async reach(stage) {
      const page = await openPayment(stage, { PaymentFields: {} });
      await page.getByLabel('Card number').fill('4242 4242 4242 4241');
      return pressAndFail(page, /^Pay/);
    },
  },
  {
    name: 'payment-bank',
    gallery: 'Payment, bank account',
    async reach(stage) {
      const page = await openPayment(stage);
      await fillBank(page, BANK_OK);
      return page;
    },
  },
  {
    name: 'payment-account',
    gallery: 'Payment, one account and a customer',
    async reach(stage) {
      const ClientUser = someCustomer();
      await save(stage.full, ClientUser, CARD);
      await save(stage.full, ClientUser, BANK);
      const page = await openPayment(stage, {
        ClientUser,
        PaymentDescriptor: 'Bill of November 2026',
        ClientReference: `INV-${randomUUID().slice(0, 8)}`,
        Charges: [{ Amount: 8420, Description: 'Water and sewer, November', ClientAccount: DETAILED }],
        ...REDIRECTS,
      });
      await page.getByText('Details', { exact: true }).first().click();
      return page;
    },
  },
  {
    name: 'payment-accounts',
    gallery: 'Payment, several accounts',
    async reach(stage) {
      const page = await openPayment(stage, {
        PaymentFields: {},
        Charges: [
          { Amount: 8420, ClientAccount: { ...DETAILED, Balance: 12_000 } },
          { Amount: 3150, ClientAccount: { AccountNumber: 'HW-20482', Name: 'Boat house', Balance: 3150 } },
          { Amount: 250, Description: 'Paper bill' },
        ],
      });
      await page.getByRole('checkbox', { name: 'Boat house' }).uncheck();
      return page;
    },
  },
  {
    name: 'payment-many-accounts',
    gallery: 'Payment, 25 accounts',
    async reach(stage) {
      const page = await openPayment(stage, {
        PaymentDescriptor: 'Bills of November 2026',
        Charges: Array.from({ length: 25 }, (_, place) => ({
          Amount: 2150 + place * 137,
          ClientAccount: {
            AccountNumber: `HW-${20500 + place}`,
            Name: `${place + 1} Quay Street`,
            DueDate: '2026-12-05',
            ...(place < 3 ? { Balance: 9000 } : {}),
          },
        })),
      });
      await page.locator('.fold').evaluate((fold) => fold.setAttribute('open', ''));
      return page;
    },
  },
  {
    name: 'payment-25-accounts',
    reach: (stage) =>
      openPayment(stage, {
        PaymentDescriptor: LONG_NAME,
        Charges: Array.from({ length: 25 }, (_, place) => ({
          Amount: 12_345_678_900 + place,
          ...(place % 3 === 0 ? { Description: LONG_NAME } : {}),
          ClientAccount: {
            AccountNumber: `HW-${'1234567890'.repeat(4)}${place}`,
            Name: place % 2 === 0 ? LONG_NAME : 'Dana Reyes',
            Balance: 123_456_789_012,
          },
        })),
      }),
  },
  {
    name: 'payment-largest',
    reach: (stage) => openPayment(stage, { Charges: [{ Amount: Number.MAX_SAFE_INTEGER }] }),
  },
  {
    name: 'payment-amount-problem',
    async reach(stage) {
      const page = await openPayment(stage, {
        Charges: ['A', 'B'].map((name) => ({
          Amount: 100,
          ClientAccount: { AccountNumber: name, Name: name },
        })),
      });
      await page.getByLabel('Amount for A').fill('900');
      await page.getByRole('checkbox', { name: 'B' }).uncheck();
      await page.locator('#pay').click();
      await page.getByRole('alert').waitFor();
      return page;
    },
  },
  {
    name: 'payment-returning',
    gallery: 'Payment, known payer',
    async reach(stage) {
      const ClientUser = someCustomer();
      await save(stage.full, ClientUser, CARD);
      await save(stage.full, ClientUser, BANK);
      const page = await openPayment(stage, { ClientUser });
      await page.getByRole('radio', { name: 'Bank account ending in 6789' }).check();
      await page.getByText('By selecting “Pay,” I authorize').waitFor();
      return page;
    },
  },
  {
    name: 'payment-agent',
    gallery: 'Payment, taken by an agent',
    reach: (stage) => openPayment(stage, { Channel: 'POS', PosUser: AGENT }),
  },
  {
    name: 'payment-declined',
    gallery: 'Payment, declined',
    async reach(stage) {
      const page = await openPayment(stage);
      await fillCard(page, CARD_DECLINED);
      return pressAndFail(page, /^Pay/, 'declined');
    },
  },
  {
    name: 'payment-sending',
    async reach(stage) {
      const page = await openPayment(stage);
      await hold(page, '**/api/pay');
      await payOn(page);
      await page.getByRole('button', { name: 'Processing…' }).waitFor();
      return page;
    },
  },
  {
    name: 'payment-checking',
    gallery: 'Payment, connection lost',
    async reach(stage) {
      const page = await openPayment(stage);
      await hold(page, /\/api\/(pay|attempts)/, true);
      await payOn(page);
      await page.getByText('We still can’t connect').waitFor();
      return page;
    },
  },
  {
    name: 'payment-never-arrived',
    async reach(stage) {
      const page = await openPayment(stage);
      await hold(page, '**/api/pay', true);
      await fillCard(page);
      return pressAndFail(page, /^Pay/, 'didn’t reach us');
    },
  },
  {
    name: 'payment-complete',
    gallery: 'Payment, complete',
    async reach(stage) {
      const page = await payOn(await openPayment(stage, { Charges: TWO_LINES }));
      await heading(page, 'Payment complete');
      return page;
    },
  },
  {
    name: 'payment-complete-redirect',
    reach: (stage) =>
      openAfter(stage, stage.full, 'Payment complete', (session) => pay(session, CARD), {
        PaymentFields: INVOICE,
        ...REDIRECTS,
      }),
  },
  {
    name: 'payment-refunded',
    async reach(stage) {
      const refundPart = async (session: CreatedSession): Promise<void> => {
        await pay(session, CARD);
        const BusinessUnitSlug = BUSINESS_UNIT;
        const query = { BusinessUnitSlug, PaymentSessionIdentifier: session.sessionId };
        const { body } = await stage.full.post('/integrations/embedded/query', query);
        const { Payments } = (body as { data: { Payments: { Id: string }[] } }).data;
        const refund = { BusinessUnitSlug, PaymentIdentifier: Payments[0]?.Id, Amount: 500 };
        await stage.full.post('/integrations/payments/refund', refund);
      };
      const page = await openAfter(stage, stage.full, 'Payment complete', refundPart, {
        PaymentFields: INVOICE,
      });
      await page.locator('.receipt dd', { hasText: /5[.,]00/ }).waitFor();
      return page;
    },
  },
  {
    name: 'payment-submitted',
    gallery: 'Payment, submitted to the bank',
    reach: (stage) =>
      openAfter(stage, stage.full, 'Payment submitted', (session) => pay(session, BANK), {
        PaymentFields: INVOICE,
      }),
  },
  {
    name: 'payment-no-attempts-left',
    reach: (stage) =>
      openAfter(
        stage,
        stage.full,
        'Too many attempts',
        async (session) => {
          for (let attempt = 0; attempt < 10; attempt++) await pay(session, DECLINED);
        },
        { PaymentFields: INVOICE, ...REDIRECTS },
      ),
  },
  {
    name: 'payment-automatic',
    gallery: 'Payment, another one in progress',
    async reach(stage) {
      const ClientUser = someCustomer();
      const ClientAccount = someAccount();
      const methodId = await save(stage.full, ClientUser, CARD);
      const autopay = await stage.full.create('autopay', { ClientUser, SyncAccount: true, ClientAccount });
      await ask(autopay, 'autopay/enroll', { methodId });
      const charge = (): Promise<unknown> =>
        stage.full.post('/integrations/autopay/charge', {
          BusinessUnitSlug: BUSINESS_UNIT,
          AccountNumber: ClientAccount['AccountNumber'],
          Amount: 8420,
          ClientReference: randomUUID(),
        });
      return openAfter(stage, stage.full, 'A payment is already in progress', charge, {
        ClientUser,
        Charges: [{ Amount: 8420, ClientAccount }],
        ...REDIRECTS,
      });
    },
  },
  {
    name: 'payment-scheduled',
    gallery: 'Payment, already scheduled',
    async reach(stage) {
      const ClientUser = someCustomer();
      const ClientAccount = someAccount();
      const methodId = await save(stage.full, ClientUser, CARD);
      await schedule(stage.full, ClientUser, ClientAccount, { amount: 8420, days: 5, methodId });
      const page = await openPayment(stage, { ClientUser, Charges: [{ Amount: 8420, ClientAccount }] });
      await page.getByText('already scheduled').waitFor();
      return page;
    },
  },
  {
    name: 'payment-no-method',
    gallery: 'Payment, no method left',
    async reach(stage) {
      const page = await open(stage, stage.full, 'payment', {
        BusinessUnitSlug: WITHOUT_METHODS,
        Charges: [{ Amount: 1234, Description: `<img src=x onerror=alert(1)>${'long '.repeat(2000)}` }],
      });
      await heading(page, 'No payment method is available');
      return page;
    },
  },
  {
    name: 'payment-unavailable',
    gallery: 'Payment, without a processor',
    reach: async (stage) => open(stage, await stage.production(), 'payment'),
  },
  {
    name: 'payment-spanish',
    gallery: 'Payment, in Spanish',
    async reach(stage) {
      const session = await stage.full.create('payment', { PaymentFields: INVOICE });
      return visit(await openTab(stage.browser, { locale: 'es-MX' }), session.sessionUrl);
    },
  },
  {
    name: 'payment-unreachable',
    async reach(stage) {
      const { page } = stage;
      await hold(page, '**/api/session', true);
      await page.goto((await stage.full.create('payment')).sessionUrl);
      await heading(page, 'We can’t connect right now');
      return page;
    },
  },
  {
    name: 'incomplete-link',
    async reach(stage) {
      const { sessionUrl } = await stage.full.create('payment');
      return visit(stage.page, sessionUrl.replace(/#.*/, ''));
    },
  },
  {
    name: 'unknown-session',
    reach: (stage) => visit(stage.page, `${stage.full.url}/s/stg_unknown#secret`),
  },
  {
    name: 'other-environment',
    gallery: 'A session of the other environment',
    reach: (stage) => visit(stage.page, `${stage.full.url}/s/prd_unknown#secret`),
  },
];
