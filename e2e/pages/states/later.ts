/** States that depend on time. */
import type { CreatedSession } from '../../harness/index.js';
import {
  ask,
  BANK,
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
} from '../stage.js';
import { changeSession, heading, open, openAfter, press, REDIRECTS, type PageState } from './reach.js';

/** The unsubscribe link in a payment reminder. It leads to a page in the reminder's language. */
async function reminderLink({ later, page }: Stage): Promise<string> {
  const ClientUser = someCustomer();
  const methodId = await save(later, ClientUser, CARD);
  const language = await page.evaluate(() => navigator.language);
  await schedule(later, ClientUser, someAccount(), { amount: 4000, days: 2, methodId, language });
  for (;;) {
    const { messages = [] } = (await later.control.state()) as {
      messages?: { to: string; text: string }[];
    };
    const [, link] =
      /(http\S+unsubscribe\S+)/.exec(
        messages.find(({ to, text }) => to === ClientUser.EmailAddress && text.includes('unsubscribe'))
          ?.text ?? '',
      ) ?? [];
    if (link !== undefined) return link;
    await later.control.advance('6h');
  }
}

/** Run these in order, because each moves the clock of their service. */
export const AFTER_PAYMENT: readonly PageState[] = [
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
      openAfter(
        stage,
        stage.later,
        'This session has expired',
        () => stage.later.control.advance('31m'),
        REDIRECTS,
      ),
  },
  {
    name: 'payment-returned',
    gallery: 'Payment, returned by the bank',
    reach: (stage) =>
      openAfter(
        stage,
        stage.later,
        'Your bank returned this payment',
        async (session) => {
          await pay(session, RETURNED);
          await stage.later.control.advance('3d');
        },
        REDIRECTS,
      ),
  },
  {
    name: 'payment-disputed',
    async reach(stage) {
      // The test processor has no disputes.
      await changeSession(stage.page, { status: 'Failed', receipt: undefined, disputed: true });
      const paid = (session: CreatedSession) => pay(session, CARD);
      return openAfter(stage, stage.later, 'This receipt is no longer available here', paid, REDIRECTS);
    },
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
      await page.getByText('Failed', { exact: true }).waitFor();
      await page.getByText('Paid', { exact: true }).waitFor();
      return page;
    },
  },
  {
    name: 'unsubscribe',
    gallery: 'Stop reminders',
    async reach(stage) {
      await stage.page.goto(await reminderLink(stage));
      await stage.page.getByRole('button', { name: 'Stop these reminders' }).waitFor();
      return stage.page;
    },
  },
  {
    name: 'unsubscribed',
    gallery: 'Reminders stopped',
    async reach(stage) {
      await stage.page.goto(await reminderLink(stage));
      await press(stage.page, 'Stop these reminders');
      await heading(stage.page, 'You won’t get these reminders by email anymore');
      return stage.page;
    },
  },
  {
    name: 'payment-expired-card',
    gallery: 'Payment, expired saved card',
    async reach(stage) {
      const { ClientUser } = await expiredCard(stage.later);
      const page = await open(stage, stage.later, 'payment', { ClientUser });
      await page.getByText(/Expired \d/).waitFor();
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
  {
    name: 'autopay-card-expires',
    async reach({ later, page }) {
      const ClientUser = someCustomer();
      const wallet = await later.create('wallet', { ClientUser });
      const { now } = (await ask(wallet, 'session')) as { now: string };
      const DueDate = new Date(Date.parse(now) + 45 * 86_400_000).toISOString().slice(0, 10);
      const ClientAccount = { ...someAccount(), DueDate };
      const methodId = await save(later, ClientUser, CARD);
      const bank = await save(later, ClientUser, BANK);
      await schedule(later, ClientUser, ClientAccount, { amount: 4000, days: 5, methodId: bank });
      await schedule(later, ClientUser, ClientAccount, { amount: 2500, days: 46, methodId });
      const session = await later.create('autopay', { ClientUser, SyncAccount: true, ClientAccount });
      await ask(session, 'autopay/enroll', { methodId });
      await ask(wallet, `methods/${methodId}/expiry`, { expiry: `${now.slice(5, 7)}/${now.slice(2, 4)}` });
      await visit(page, session.sessionUrl);
      await page.getByText('so that your bills are paid').waitFor();
      return page;
    },
  },
];
