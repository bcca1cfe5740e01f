/** Harborlight Water's customer records, as pure functions that return the next state. */
import type { SessionDetails, WebhookData } from '@embedded-sessions/server-types';

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
  /**
   * Payments only. A `pending` payment counts like a paid one, so that nobody pays twice. `ended`: a scheduled payment that was
   * canceled or made.
   */
  status?: 'paid' | 'pending' | 'scheduled' | 'declined' | 'returned' | 'ended';
}

export interface Customer {
  id: string;
  accountNumber: string;
  firstName: string;
  lastName: string;
  emailAddress: string;
  autopay: boolean;
  paperless: boolean;
  /** When AutoPay and paperless billing last changed, ISO 8601. */
  changedAt: { autopay?: string; paperless?: string };
  /** Oldest first. */
  entries: Entry[];
  /** The payment sessions whose result is not final. */
  openSessions: { id: string; reference: string }[];
  /** The number of payment sessions that have ended. */
  endedSessions: number;
}

const sum = (entries: readonly Entry[]): number => entries.reduce((total, entry) => total + entry.amount, 0);
const bills = ({ entries }: Customer): Entry[] => entries.filter(({ kind }) => kind === 'bill');
const payments = ({ entries }: Customer, status: Entry['status']): Entry[] =>
  entries.filter((entry) => entry.kind === 'payment' && entry.status === status);

/** Returns the sum of pending payments, in cents. */
export const pendingOf = (customer: Customer): number => sum(payments(customer, 'pending'));

/** Returns the sum of scheduled payments, in cents. */
export const scheduledOf = (customer: Customer): number => sum(payments(customer, 'scheduled'));

/** Returns what is owed, in cents. The service deducts scheduled payments itself. */
export const balanceOf = (customer: Customer): number =>
  sum(bills(customer)) - sum(payments(customer, 'paid')) - pendingOf(customer);

/** Returns the amount to charge now, in cents. */
export const payableOf = (customer: Customer): number => balanceOf(customer) - scheduledOf(customer);

/** Returns the newest bill's due date, if anything is owed. */
export const dueDateOf = (customer: Customer): string | undefined =>
  balanceOf(customer) > 0 ? bills(customer).at(-1)?.dueDate : undefined;

/** Turns AutoPay or paperless billing on or off, unless a later change is known. */
export const turn = (customer: Customer, what: 'autopay' | 'paperless', on: boolean, at: string): Customer =>
  at < (customer.changedAt[what] ?? '')
    ? customer
    : { ...customer, [what]: on, changedAt: { ...customer.changedAt, [what]: at } };

export const openSession = (customer: Customer, id: string, reference: string): Customer => ({
  ...customer,
  openSessions: [...customer.openSessions.filter((open) => open.id !== id), { id, reference }],
});

const FINAL: readonly string[] = ['Succeeded', 'Failed', 'Expired', 'Canceled'];
/** After this many, a session accepts no further payment. */
const MAX_DECLINES = 10;
const STATUSES: Readonly<Record<string, Entry['status']>> = {
  succeeded: 'paid',
  pending: 'pending',
  declined: 'declined',
  returned: 'returned',
};
const LABELS: Readonly<Record<string, string>> = {
  autopay: 'AutoPay',
  'schedule-payment': 'Scheduled payment',
};

/**
 * Records the payments of a session as the service returned them. Each payment has one entry, by its id, so a result may
 * arrive repeatedly.
 */
export function recordPayments(customer: Customer, session: SessionDetails): Customer {
  const { PaymentSessionIdentifier: sessionId, Flow, Payments, Status } = session;
  const entries = Payments.flatMap((payment): Entry[] => {
    const status = STATUSES[payment.Status];
    if (!status) return [];
    const method = payment.Method === 'ACH' ? 'bank account' : 'card';
    const label = `${LABELS[Flow] ?? 'Payment'}, ${method} ending in ${payment.Last4}`;
    const date = payment.CreatedAt.slice(0, 10);
    return [{ id: payment.Id, kind: 'payment', date, label, amount: payment.Amount, status }];
  });
  const ids = new Set(entries.map(({ id }) => id));
  const isOpen = customer.openSessions.some(({ id }) => id === sessionId);
  const isExhausted = Payments.filter((payment) => payment.Status === 'declined').length >= MAX_DECLINES;
  const hasEnded = isOpen && (isExhausted || FINAL.includes(Status));
  return {
    ...customer,
    entries: [...customer.entries.filter(({ id }) => !ids.has(id)), ...entries],
    openSessions: customer.openSessions.filter(({ id }) => id !== sessionId || !hasEnded),
    endedSessions: customer.endedSessions + (hasEnded ? 1 : 0),
  };
}

/** Records a scheduled payment until it is made, fails or is canceled. */
export function recordScheduled(
  customer: Customer,
  { Identifier: id, Amount: amount, Date: date, Status }: NonNullable<WebhookData['ScheduledPayment']>,
): Customer {
  const known = customer.entries.find((entry) => entry.id === id);
  const status = Status === 'scheduled' && known?.status !== 'ended' ? 'scheduled' : 'ended';
  const entry: Entry = { id, kind: 'payment', date, label: 'Scheduled payment', amount, status };
  return { ...customer, entries: [...customer.entries.filter((each) => each !== known), entry] };
}

const DAY_MS = 86_400_000;
const day = (now: Date, days: number): string =>
  new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 10);
const month = (date: string): string =>
  new Date(date).toLocaleDateString('en-US', { month: 'long', timeZone: 'UTC' });

/** Adds the month's bill. */
export function postBill(customer: Customer, now: Date): Customer {
  const date = day(now, 0);
  const bill: Entry = {
    id: `bill-${bills(customer).length + 1}`,
    kind: 'bill',
    date,
    label: `${month(date)} bill`,
    amount: 7_630,
    dueDate: day(now, 18),
  };
  return { ...customer, entries: [...customer.entries, bill] };
}

/** Creates a demo customer with a paid bill and an unpaid bill. */
export function newCustomer(id: string, now: Date): Customer {
  const number = String(Number.parseInt(id.slice(0, 8), 16)).padStart(10, '0');
  const date = day(now, -31);
  const label = `${month(date)} bill`;
  const customer: Customer = {
    id,
    accountNumber: number,
    firstName: 'Ana',
    lastName: 'Reyes',
    emailAddress: `ana.reyes.${number}@mail.example`,
    autopay: false,
    paperless: false,
    changedAt: {},
    entries: [
      { id: 'bill-1', kind: 'bill', date, label, amount: 6_945, dueDate: day(now, -13) },
      {
        id: 'check-1',
        kind: 'payment',
        date: day(now, -16),
        label: 'Check by mail',
        amount: 6_945,
        status: 'paid',
      },
    ],
    openSessions: [],
    endedSessions: 0,
  };
  return postBill(customer, now);
}
