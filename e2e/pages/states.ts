/** Every state that a hosted page can be in, and how a payer gets there. */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import {
  AGENT,
  BANK_OK,
  CARD_DECLINED,
  fillBank,
  fillCard,
  type CreatedSession,
  type Flow,
  type Service,
} from '../harness/index.js';
import {
  ask,
  BANK,
  blank,
  CARD,
  DECLINED,
  expiredCard,
  pay,
  RETURNED,
  save,
  schedule,
  someAccount,
  someCustomer,
  visit,
  type Stage,
} from './stage.js';

export interface PageState {
  name: string;
  /** In the gallery, under this heading. */
  gallery?: string;
  /** The page that it is on: the stage's own, or one of another language. */
  reach(stage: Stage): Promise<Page>;
}

type Body = Record<string, unknown>;

const INVOICE = { InvoiceNumber: 'INV-2026-1102' };
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

/** Opens a session of its own on one of the stage's services. */
async function open(stage: Stage, service: Service, flow: Flow, body: Body = {}): Promise<Page> {
  return visit(stage.page, (await service.create(flow, body)).sessionUrl);
}

async function openPayment(stage: Stage, body: Body = {}): Promise<Page> {
  return open(stage, stage.full, 'payment', { PaymentFields: INVOICE, ...body });
}

/** Holds the page's requests to `path` for as long as it is looked at, or drops them. */
function hold(page: Page, path: string | RegExp, drop = false): Promise<unknown> {
  return page.route(path, (route) => (drop ? route.abort() : undefined));
}

async function payOn(page: Page, cardNumber?: string): Promise<Page> {
  await fillCard(page, cardNumber);
  await press(page, /^Pay/);
  return page;
}

/** A session that something happened to before it is opened; the page's verdict on it. */
async function openAfter(
  stage: Stage,
  service: Service,
  verdict: string,
  happen: (session: CreatedSession) => Promise<unknown>,
  body: Body = {},
): Promise<Page> {
  const session = await service.create('payment', body);
  await happen(session);
  const page = await visit(stage.page, session.sessionUrl);
  await heading(page, verdict);
  return page;
}

async function pressInVain(page: Page, name: string | RegExp, said = ''): Promise<Page> {
  await press(page, name);
  await page.getByRole('alert').filter({ hasText: said }).waitFor();
  return page;
}

const REDIRECTS = { SuccessUrl: 'https://shop.example/paid', ReturnUrl: 'https://shop.example/bills' };
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
      await page.getByRole('status', { name: 'One moment…' }).waitFor();
      return page;
    },
  },
  {
    name: 'payment-problems',
    gallery: 'Payment, what is missing',
    async reach(stage) {
      const page = await openPayment(stage, { PaymentFields: {} });
      await page.getByLabel('Card number').fill('4242 4242 4242 4241');
      return pressInVain(page, /^Pay/);
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
      await page.getByLabel('Amount for A').press('Enter');
      await page.getByRole('alert').waitFor();
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
      return pressInVain(page, /^Pay/, 'declined');
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
    gallery: 'Payment, the connection dropped',
    async reach(stage) {
      const page = await openPayment(stage);
      await hold(page, /\/api\/(pay|attempts)/, true);
      await payOn(page);
      await page.getByText('cannot be reached yet').waitFor();
      return page;
    },
  },
  {
    name: 'payment-never-arrived',
    async reach(stage) {
      const page = await openPayment(stage);
      await hold(page, '**/api/pay', true);
      await fillCard(page);
      return pressInVain(page, /^Pay/, 'did not reach us');
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
        'No attempts are left',
        async (session) => {
          for (let attempt = 0; attempt < 10; attempt++) await pay(session, DECLINED);
        },
        { PaymentFields: INVOICE },
      ),
  },
  {
    name: 'payment-no-method',
    gallery: 'Payment, no method left',
    async reach(stage) {
      const page = await open(stage, stage.narrow, 'payment', {
        PaymentMethods: ['Credit Card'],
        Charges: [{ Amount: 1234, Description: `<img src=x onerror=alert(1)>${'long '.repeat(2000)}` }],
      });
      await heading(page, 'No payment method is available');
      return page;
    },
  },
  {
    name: 'payment-unavailable',
    gallery: 'Payment, without a processor',
    reach: (stage) => open(stage, stage.production, 'payment'),
  },
  {
    name: 'payment-spanish',
    gallery: 'Payment, in Spanish',
    async reach(stage) {
      const session = await stage.full.create('payment', { PaymentFields: INVOICE });
      return visit(await blank(stage.browser, { locale: 'es-MX' }), session.sessionUrl);
    },
  },
  {
    name: 'payment-unreachable',
    async reach(stage) {
      const { page } = stage;
      await hold(page, '**/api/session', true);
      await page.goto((await stage.full.create('payment')).sessionUrl);
      await heading(page, 'The payment service cannot be reached');
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

async function openManaged(stage: Stage, flow: Flow, more: Body = {}): Promise<Page> {
  const ofAccount =
    flow === 'wallet' || flow === 'notifications' ? {} : { SyncAccount: true, ClientAccount: someAccount() };
  return open(stage, stage.full, flow, { ClientUser: someCustomer(), ...ofAccount, ...more });
}

async function openEnrolled(stage: Stage): Promise<Page> {
  const ClientUser = someCustomer();
  const methodId = await save(stage.full, ClientUser, CARD);
  await save(stage.full, ClientUser, BANK);
  const session = await stage.full.create('autopay', {
    ClientUser,
    SyncAccount: true,
    ClientAccount: someAccount(),
  });
  await ask(session, 'autopay/enroll', { methodId });
  return visit(stage.page, session.sessionUrl);
}

async function openWallet(stage: Stage): Promise<Page> {
  const ClientUser = someCustomer();
  const methodId = await save(stage.full, ClientUser, CARD);
  await save(stage.full, ClientUser, BANK);
  await save(stage.full, ClientUser, { ...CARD, cardNumber: '5555555555554444' });
  const autopay = await stage.full.create('autopay', {
    ClientUser,
    SyncAccount: true,
    ClientAccount: someAccount(),
  });
  await ask(autopay, 'autopay/enroll', { methodId });
  return openManaged(stage, 'wallet', { ClientUser });
}

async function goPaperless(stage: Stage): Promise<Page> {
  const page = await openManaged(stage, 'paperless');
  await press(page, 'Go paperless');
  await page.getByRole('status').filter({ hasText: 'is now on' }).waitFor();
  return page;
}

export const MANAGEMENT: readonly PageState[] = [
  { name: 'autopay', gallery: 'AutoPay, to enroll', reach: (stage) => openManaged(stage, 'autopay') },
  {
    name: 'autopay-problems',
    async reach(stage) {
      return pressInVain(await openManaged(stage, 'autopay'), 'Turn on AutoPay');
    },
  },
  { name: 'autopay-on', gallery: 'AutoPay, enrolled', reach: openEnrolled },
  {
    name: 'autopay-change',
    async reach(stage) {
      const page = await openEnrolled(stage);
      await press(page, 'Change payment method');
      return page;
    },
  },
  {
    name: 'autopay-leave',
    async reach(stage) {
      const page = await openEnrolled(stage);
      await press(page, 'Turn off AutoPay');
      await page.getByRole('group', { name: /Turn off AutoPay/ }).waitFor();
      return page;
    },
  },
  {
    name: 'autopay-of-another',
    async reach(stage) {
      const ClientUser = someCustomer();
      const ClientAccount = someAccount();
      const methodId = await save(stage.full, ClientUser, CARD);
      const first = await stage.full.create('autopay', { ClientUser, SyncAccount: true, ClientAccount });
      await ask(first, 'autopay/enroll', { methodId });
      return openManaged(stage, 'autopay', { ClientAccount });
    },
  },
  {
    name: 'autopay-unavailable',
    reach: (stage) => open(stage, stage.production, 'autopay'),
  },
  { name: 'wallet-empty', reach: (stage) => openManaged(stage, 'wallet') },
  { name: 'wallet', gallery: 'Wallet', reach: openWallet },
  {
    name: 'wallet-add',
    gallery: 'Wallet, a new method',
    async reach(stage) {
      const page = await openManaged(stage, 'wallet');
      await press(page, 'Add a payment method');
      return page;
    },
  },
  {
    name: 'wallet-full',
    async reach(stage) {
      const ClientUser = someCustomer();
      for (let kept = 0; kept < 20; kept++) await save(stage.full, ClientUser, BANK);
      const page = await openManaged(stage, 'wallet', { ClientUser });
      await page.getByText('As many payment methods are saved as can be kept.').waitFor();
      return page;
    },
  },
  {
    name: 'wallet-delete',
    async reach(stage) {
      const page = await openWallet(stage);
      await press(page, 'Delete Mastercard ending in 4444');
      await page.getByRole('group', { name: /Delete Mastercard/ }).waitFor();
      return page;
    },
  },
  { name: 'paperless', gallery: 'Paperless', reach: (stage) => openManaged(stage, 'paperless') },
  {
    name: 'paperless-on',
    reach: goPaperless,
  },
  {
    name: 'paperless-leave',
    async reach(stage) {
      const page = await goPaperless(stage);
      await press(page, 'Go back to paper bills');
      return page;
    },
  },
  {
    name: 'schedule-payment',
    gallery: 'Schedule a payment',
    reach: (stage) => openManaged(stage, 'schedule-payment'),
  },
  {
    name: 'schedule-payment-problems',
    async reach(stage) {
      const page = await openManaged(stage, 'schedule-payment');
      await page.getByLabel('Amount').fill('');
      return pressInVain(page, /^Schedule/);
    },
  },
  {
    name: 'schedule-payment-done',
    gallery: 'Schedule a payment, done',
    async reach(stage) {
      const page = await openManaged(stage, 'schedule-payment');
      const last = await page.getByLabel('Payment date').getAttribute('max');
      await page.getByLabel('Payment date').fill(last ?? '');
      await fillCard(page);
      await press(page, /^Schedule/);
      await page.getByRole('status').filter({ hasText: 'Payment scheduled' }).waitFor();
      return page;
    },
  },
  { name: 'scheduled-payments-none', reach: (stage) => openManaged(stage, 'scheduled-payments') },
  {
    name: 'scheduled-payments-cancel',
    async reach(stage) {
      const ClientUser = someCustomer();
      const ClientAccount = someAccount();
      const methodId = await save(stage.full, ClientUser, CARD);
      await schedule(stage.full, ClientUser, ClientAccount, { amount: 4000, days: 5, methodId });
      const page = await openManaged(stage, 'scheduled-payments', { ClientUser, ClientAccount });
      await press(page, /^Cancel payment of/);
      await page.getByRole('group').waitFor();
      return page;
    },
  },
  { name: 'notifications', gallery: 'Notifications', reach: (stage) => openManaged(stage, 'notifications') },
  {
    name: 'notifications-problem',
    async reach(stage) {
      const page = await openManaged(stage, 'notifications');
      await page.getByRole('checkbox', { name: 'Text message' }).first().check();
      return pressInVain(page, 'Save preferences');
    },
  },
  {
    name: 'management-done',
    gallery: 'Any management flow, done',
    async reach(stage) {
      const page = await openManaged(stage, 'paperless');
      await press(page, 'Done');
      await heading(page, 'All set');
      return page;
    },
  },
  {
    name: 'management-spanish',
    async reach(stage) {
      const session = await stage.full.create('notifications', { ClientUser: someCustomer() });
      return visit(await blank(stage.browser, { locale: 'es' }), session.sessionUrl);
    },
  },
];

/** One after the other: each moves the clock of a service of their own. */
export const LATER: readonly PageState[] = [
  {
    name: 'session-ends-soon',
    async reach(stage) {
      const session = await stage.later.create('payment');
      await stage.later.control.advance('27m');
      const page = await visit(stage.page, session.sessionUrl);
      await page.getByText('This session ends in').waitFor();
      return page;
    },
  },
  {
    name: 'expired',
    gallery: 'An expired session',
    reach: (stage) =>
      openAfter(stage, stage.later, 'This session has expired', () => stage.later.control.advance('31m')),
  },
  {
    name: 'payment-returned',
    gallery: 'Payment, returned by the bank',
    reach: (stage) =>
      openAfter(stage, stage.later, 'The payment was returned', async (session) => {
        await pay(session, RETURNED);
        await stage.later.control.advance('3d');
      }),
  },
  {
    name: 'scheduled-payments',
    gallery: 'Scheduled payments',
    async reach(stage) {
      const ClientUser = someCustomer();
      const ClientAccount = someAccount('HW-20481');
      const good = await save(stage.later, ClientUser, CARD);
      const bad = await save(stage.later, ClientUser, DECLINED);
      const bank = await save(stage.later, ClientUser, BANK);
      const put = (amount: number, days: number, methodId: string) =>
        schedule(stage.later, ClientUser, ClientAccount, { amount, days, methodId });
      await put(4000, 1, good);
      await put(2500, 2, bad);
      await put(8420, 30, bank);
      await put(1200, 45, good);
      await stage.later.control.advance('3d');
      const account = { ClientAccount, SyncAccount: true };
      const page = await open(stage, stage.later, 'scheduled-payments', { ClientUser, ...account });
      await page.getByText('Failed').waitFor();
      await page.getByText('Paid', { exact: true }).waitFor();
      return page;
    },
  },
  {
    name: 'payment-expired-card',
    gallery: 'Payment, a saved card that has expired',
    async reach(stage) {
      const { ClientUser } = await expiredCard(stage.later);
      const page = await open(stage, stage.later, 'payment', { ClientUser });
      await page.getByText(/^Expired/).waitFor();
      return page;
    },
  },
  {
    name: 'autopay-expired-card',
    async reach(stage) {
      const account = { SyncAccount: true, ClientAccount: someAccount() };
      const { ClientUser } = await expiredCard(stage.later, async ({ ClientUser, methodId }) =>
        ask(await stage.later.create('autopay', { ClientUser, ...account }), 'autopay/enroll', { methodId }),
      );
      const page = await open(stage, stage.later, 'autopay', { ClientUser, ...account });
      await page.getByText('This card has expired.').waitFor();
      return page;
    },
  },
];

/** Makes the stage's page ready for the next state, which replaces what it shows; any other is closed. */
export async function leave(stage: Stage, page: Page): Promise<void> {
  if (page !== stage.page) return page.context().close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}
