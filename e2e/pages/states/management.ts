/** The pages of the six management flows. */
import type { Page } from 'playwright-core';
import { fillCard, type Flow, openTab } from '../../harness/index.js';
import { ask, BANK, CARD, save, schedule, someAccount, someCustomer, visit, type Stage } from '../stage.js';
import { changeSession, heading, open, press, pressAndFail, type Body, type PageState } from './reach.js';

async function openManaged(stage: Stage, flow: Flow, more: Body = {}): Promise<Page> {
  const ofAccount =
    flow === 'wallet' || flow === 'notifications' ? {} : { SyncAccount: true, ClientAccount: someAccount() };
  return open(stage, stage.full, flow, { ClientUser: someCustomer(), ...ofAccount, ...more });
}

async function openEnrolled(stage: Stage, account: Body = someAccount()): Promise<Page> {
  const ClientUser = someCustomer();
  const methodId = await save(stage.full, ClientUser, CARD);
  await save(stage.full, ClientUser, BANK);
  const session = await stage.full.create('autopay', {
    ClientUser,
    SyncAccount: true,
    ClientAccount: account,
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

async function openDue(stage: Stage): Promise<Page> {
  const dueDate = new Date(Date.now() + 12 * 86_400_000).toISOString().slice(0, 10);
  const account = { ...someAccount(), DueDate: dueDate };
  const page = await openManaged(stage, 'schedule-payment', { ClientAccount: account });
  await page.getByText('On the due date').waitFor();
  return page;
}

async function goPaperless(stage: Stage): Promise<Page> {
  const page = await openManaged(stage, 'paperless');
  await press(page, 'Go paperless');
  await page.getByRole('status').filter({ hasText: 'is now on' }).waitFor();
  return page;
}

export const MANAGEMENT: readonly PageState[] = [
  { name: 'autopay', gallery: 'AutoPay, not enrolled', reach: (stage) => openManaged(stage, 'autopay') },
  {
    name: 'autopay-problems',
    async reach(stage) {
      return pressAndFail(await openManaged(stage, 'autopay'), 'Turn on AutoPay');
    },
  },
  { name: 'autopay-on', gallery: 'AutoPay, enrolled', reach: (stage) => openEnrolled(stage) },
  {
    name: 'autopay-overdue',
    async reach(stage) {
      const page = await openEnrolled(stage, { ...someAccount(), DueDate: '2026-01-15' });
      await page.getByText('AutoPay won’t pay your current bill.').waitFor();
      return page;
    },
  },
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
    reach: async (stage) => open(stage, await stage.production(), 'autopay'),
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
    name: 'wallet-menu',
    async reach(stage) {
      const page = await openWallet(stage);
      await press(page, 'Manage Mastercard ending in 4444');
      return page;
    },
  },
  {
    name: 'wallet-full',
    async reach(stage) {
      const ClientUser = someCustomer();
      await save(stage.full, ClientUser, BANK);
      // The test processor has fewer cards and accounts than the limit.
      await changeSession(stage.page, { maxMethods: 1 });
      const page = await openManaged(stage, 'wallet', { ClientUser });
      await page.getByText('You’ve reached the limit for saved payment methods.').waitFor();
      return page;
    },
  },
  {
    name: 'wallet-name',
    async reach(stage) {
      const page = await openWallet(stage);
      await press(page, 'Manage Visa ending in 4242');
      await press(page, 'Rename Visa ending in 4242');
      await page.getByLabel('Nickname for this payment method').fill('Groceries');
      return page;
    },
  },
  {
    name: 'wallet-expiry',
    gallery: 'Wallet, edit expiry date',
    async reach(stage) {
      const page = await openWallet(stage);
      await press(page, 'Manage Visa ending in 4242');
      await press(page, 'Edit expiry of Visa ending in 4242');
      await page.getByLabel('Expiry date').waitFor();
      return page;
    },
  },
  {
    name: 'wallet-new-date',
    async reach(stage) {
      await changeSession(stage.page, { editsExpiry: undefined });
      const page = await openWallet(stage);
      await press(page, 'Manage Visa ending in 4242');
      await press(page, 'Update card: Visa ending in 4242');
      await page.getByText('Re-enter the card ending in 4242').waitFor();
      return page;
    },
  },
  {
    name: 'wallet-delete',
    async reach(stage) {
      const page = await openWallet(stage);
      await press(page, 'Manage Mastercard ending in 4444');
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
    reach: (stage) => openManaged(stage, 'schedule-payment'),
  },
  {
    name: 'schedule-payment-due',
    gallery: 'Schedule a payment',
    reach: openDue,
  },
  {
    name: 'schedule-payment-problems',
    async reach(stage) {
      const page = await openDue(stage);
      await page.getByLabel('Amount').fill('');
      return pressAndFail(page, /^Schedule/);
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
      return pressAndFail(page, 'Save preferences');
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
      return visit(await openTab(stage.browser, { locale: 'es' }), session.sessionUrl);
    },
  },
];
