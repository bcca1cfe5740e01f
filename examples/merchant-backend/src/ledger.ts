/** Harborlight Water's customer records, as pure functions that return the next state. */
import type { Flow, SessionDetails, SessionPayment } from '@embedded-sessions/server-types';

export interface Entry {
  id: string;
  kind: 'bill' | 'payment';
  /** `YYYY-MM-DD` */
  date: string;
  label: string;
  /** Integer cents. */
  amount: number;
  /** Bills only, `YYYY-MM-DD`. */
  dueDate?: string;
  /** Payments only. A `pending` payment from a bank reduces the amount to charge, not the amount owed. */
  status?: 'paid' | 'pending' | 'declined' | 'returned';
}

export interface Account {
  number: string;
  nickname: string;
  street: string;
  city: string;
  state: string;
  zip: string;
  /** Thousands of gallons per month, oldest first, ending with this month. */
  usage: number[];
  entries: Entry[];
  autopay: boolean;
  paperless: boolean;
}

/** A payment session that we created. It is reused until its `basis`, the amounts owed, changes. */
export interface PaymentSession {
  sessionId: string;
  reference: string;
  accounts: string[];
  basis: string;
  state: 'open' | 'settled' | 'closed';
}

export interface Customer {
  id: string;
  emailAddress: string;
  firstName: string;
  lastName: string;
  accounts: Account[];
  sessions: PaymentSession[];
}

const sum = (entries: readonly Entry[]): number => entries.reduce((total, entry) => total + entry.amount, 0);
const bills = (account: Account): Entry[] => account.entries.filter((entry) => entry.kind === 'bill');
const payments = (account: Account, status: Entry['status']): Entry[] =>
  account.entries.filter((entry) => entry.kind === 'payment' && entry.status === status);

/** Returns the amount to charge, in cents: the amount owed minus pending payments. */
export const balanceOf = (account: Account): number =>
  sum(bills(account)) - sum(payments(account, 'paid')) - pendingOf(account);

/** Returns the sum of pending bank payments, in cents. */
export const pendingOf = (account: Account): number => sum(payments(account, 'pending'));

/** Returns the due date, if anything is owed. */
export const dueDateOf = (account: Account): string | undefined =>
  balanceOf(account) > 0 ? bills(account).at(-1)?.dueDate : undefined;

/** Identifies the amounts owed, so that a second press of Pay, or a second tab, reuses the session. */
export const basisOf = (accounts: readonly Account[]): string =>
  accounts.map((account) => `${account.number}:${account.entries.length}:${balanceOf(account)}`).join(' ');

export const accountOf = (customer: Pick<Customer, 'accounts'>, number: string): Account | undefined =>
  customer.accounts.find((account) => account.number === number);

const onAccount = (customer: Customer, number: string, change: (account: Account) => Account): Customer => ({
  ...customer,
  accounts: customer.accounts.map((account) => (account.number === number ? change(account) : account)),
});

/** Stores the result of a payment session by replacing its entries. Results may arrive repeatedly and in any order. */
export function recordPayment(customer: Customer, details: SessionDetails, today: string): Customer {
  const isOfSession = (entry: Entry): boolean => entry.id.startsWith(`${details.PaymentSessionIdentifier}/`);
  const payment = details.Payments.findLast((attempt) => attempt.Status !== 'declined');
  const isClosed = ['Expired', 'Failed', 'Canceled'].includes(details.Status);
  const status =
    details.Status === 'Succeeded' ? 'paid' : details.Status === 'Failed' ? 'returned' : 'pending';
  const entryFor = (account: Account): Entry[] => {
    const charges = details.Charges.filter(
      (charge) => charge.ClientAccount?.AccountNumber === account.number,
    );
    const amount = charges.reduce((total, charge) => total + (charge.PaidAmount ?? charge.Amount), 0);
    if (!payment || amount === 0) return [];
    return [
      {
        id: `${details.PaymentSessionIdentifier}/${account.number}`,
        kind: 'payment',
        date: account.entries.find(isOfSession)?.date ?? today,
        label: `${payment.Method === 'ACH' ? 'Bank account' : 'Card'} ending in ${payment.Last4}`,
        amount,
        status,
      },
    ];
  };
  return {
    ...customer,
    sessions: customer.sessions.map((session) =>
      session.sessionId === details.PaymentSessionIdentifier
        ? {
            ...session,
            state: details.Status === 'Succeeded' ? 'settled' : isClosed ? 'closed' : session.state,
          }
        : session,
    ),
    accounts: customer.accounts.map((account) => ({
      ...account,
      entries: [...account.entries.filter((entry) => !isOfSession(entry)), ...entryFor(account)],
    })),
  };
}

export const recordAutopay = (customer: Customer, number: string, autopay: boolean): Customer =>
  onAccount(customer, number, (account) => ({ ...account, autopay }));

export const recordPaperless = (customer: Customer, number: string, paperless: boolean): Customer =>
  onAccount(customer, number, (account) => ({ ...account, paperless }));

/** Stores an executed scheduled payment. Idempotent. */
export function recordScheduled(
  customer: Customer,
  number: string,
  payment: { id: string; amount: number; date: string },
): Customer {
  const entry: Entry = { ...payment, kind: 'payment', label: 'Scheduled payment', status: 'paid' };
  return onAccount(customer, number, (account) => ({
    ...account,
    entries: [...account.entries.filter((other) => other.id !== entry.id), entry],
  }));
}

/** Stores an account's AutoPay charges. They may arrive repeatedly and in any order. */
export function recordCharges(
  customer: Customer,
  number: string,
  payments: readonly SessionPayment[],
): Customer {
  const entries = payments.map(({ Id, Amount, Method, Last4, Status, CreatedAt }): Entry => ({
    id: Id,
    kind: 'payment',
    date: CreatedAt.slice(0, 10),
    label: `AutoPay, ${Method === 'ACH' ? 'bank account' : 'card'} ending in ${Last4}`,
    amount: Amount,
    status: STATUSES[Status] ?? 'pending',
  }));
  const ids = new Set(entries.map(({ id }) => id));
  return onAccount(customer, number, (account) => ({
    ...account,
    entries: [...account.entries.filter(({ id }) => !ids.has(id)), ...entries],
  }));
}

const STATUSES: Readonly<Record<string, Entry['status']>> = {
  succeeded: 'paid',
  declined: 'declined',
  returned: 'returned',
};

/** Stores a payment session under its reference. */
export const openSession = (customer: Customer, session: PaymentSession): Customer => ({
  ...customer,
  sessions: [...customer.sessions.filter((other) => other.reference !== session.reference), session],
});

const day = (now: Date, days: number): string =>
  new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10);
const month = (now: Date, back: number): string =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toLocaleDateString('en-US', {
    month: 'long',
    timeZone: 'UTC',
  });

/** Adds a month's bill to every account, so the demo has something to pay again. */
export function postBills(customer: Customer, now: Date): Customer {
  return {
    ...customer,
    accounts: customer.accounts.map((account) => {
      const used = account.usage.at(-1) ?? 4;
      const bill: Entry = {
        id: `bill-${account.number}-${bills(account).length}`,
        kind: 'bill',
        date: day(now, 0),
        label: `${month(now, 0)} bill`,
        amount: 2_150 + used * 685,
        dueDate: day(now, 18),
      };
      return { ...account, entries: [...account.entries, bill] };
    }),
  };
}

/** Creates a customer with two accounts, a year of usage, a paid bill and an unpaid bill. */
export function newCustomer(id: string, now: Date): Customer {
  const tag = String(Number.parseInt(id.slice(0, 8), 16))
    .padStart(10, '0')
    .slice(-7);
  const account = (
    suffix: string,
    nickname: string,
    street: string,
    usage: number[],
    last: number,
  ): Account => {
    const number = `${tag}-${suffix}`;
    return {
      number,
      nickname,
      street,
      city: 'Harborlight',
      state: 'ME',
      zip: '04101',
      usage,
      autopay: false,
      paperless: false,
      entries: [
        {
          id: `bill-${number}-a`,
          kind: 'bill',
          date: day(now, -44),
          label: `${month(now, 1)} bill`,
          amount: last,
          dueDate: day(now, -26),
        },
        {
          id: `paid-${number}-a`,
          kind: 'payment',
          date: day(now, -29),
          label: 'Check by mail',
          amount: last,
          status: 'paid',
        },
      ],
    };
  };
  return postBills(
    {
      id,
      emailAddress: `ana.reyes.${tag}@mail.example`,
      firstName: 'Ana',
      lastName: 'Reyes',
      sessions: [],
      accounts: [
        account('01', 'Home', '18 Lantern Street', [5, 5, 6, 6, 7, 9, 11, 12, 10, 8, 7, 8], 6_945),
        account('02', 'Boathouse', '3 Breakwater Lane', [1, 1, 1, 2, 3, 4, 5, 5, 3, 2, 1, 1], 3_520),
      ],
    },
    now,
  );
}

/** All flows except payment, in the order the site shows them. */
export type ManagementFlow = Exclude<Flow, 'payment'>;
export const MANAGEMENT_FLOWS: readonly ManagementFlow[] = [
  'autopay',
  'wallet',
  'paperless',
  'schedule-payment',
  'scheduled-payments',
  'notifications',
];
