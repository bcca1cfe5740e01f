/** The data for the pages: JSON for the React app, HTML for the plain page. */
import type { Config, Environment } from './config.js';
import { dueDateOf, payableOf, pendingOf, scheduledOf, type Customer, type Entry } from './ledger.js';

export interface SiteView {
  environment: Environment;
  /** The SDK script's URL in this environment and in both, so the loader can tell them apart. */
  loaderUrl: string;
  loaderUrls: Record<Environment, string>;
  firstName: string;
  lastName: string;
  emailAddress: string;
  accountNumber: string;
  autopay: boolean;
  paperless: boolean;
  bill: {
    title: string;
    /** Such as `$76.30`, as all amounts here. */
    amount: string;
    state: 'Due' | 'On its way' | 'Paid';
    due: string;
    /** Thanks for the newest payment, if it paid the bill. */
    thanks: string;
  };
  /** Newest first. */
  activity: { id: string; label: string; details: string; amount: string }[];
}

const money = (cents: number): string =>
  (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
const longDay = (date: string): string =>
  new Date(date).toLocaleDateString('en-US', {
    month: 'long',
    day: 'numeric',
    year: 'numeric',
    timeZone: 'UTC',
  });

export function viewOf(config: Config, customer: Customer): SiteView {
  const { environment, loaderUrl, operator } = config;
  const { firstName, lastName, emailAddress, accountNumber, autopay, paperless, entries } = customer;
  return {
    environment,
    loaderUrl,
    loaderUrls: { staging: operator.staging.loaderUrl, production: operator.production.loaderUrl },
    firstName,
    lastName,
    emailAddress,
    accountNumber,
    autopay,
    paperless,
    bill: billOf(customer),
    activity: entries
      .filter(({ status }) => status !== 'ended')
      .toReversed()
      .map(activityOf),
  };
}

function billOf(customer: Customer): SiteView['bill'] {
  const { entries, autopay } = customer;
  const balance = payableOf(customer);
  const isOnItsWay = pendingOf(customer) + scheduledOf(customer) > 0;
  const dueDate = dueDateOf(customer);
  const isDeclined = entries.some(({ status, date }) => status === 'declined' && date >= (dueDate ?? ''));
  const payment = entries.findLast(({ status }) => status && PAYS.includes(status));
  return {
    title: entries.findLast(({ kind }) => kind === 'bill')?.label ?? 'Your bill',
    amount: money(balance),
    state: balance > 0 ? 'Due' : isOnItsWay ? 'On its way' : 'Paid',
    due:
      dueDate && balance > 0
        ? `Due ${longDay(dueDate)}${autopay && !isDeclined ? ', by AutoPay' : ''}`
        : 'Nothing is due.',
    thanks: balance <= 0 && payment ? `Thank you. ${receiptOf(payment)}` : '',
  };
}

const receiptOf = ({ status, amount }: Entry): string =>
  status === 'paid' ? `We received ${money(amount)}.` : `${money(amount)} is on its way.`;

/** The statuses of payments that reduce what the customer can pay. */
const PAYS: readonly Entry['status'][] = ['paid', 'pending', 'scheduled'];

const DETAILS = {
  paid: ' · Paid',
  pending: ' · On its way',
  scheduled: ' · Scheduled',
  declined: ' · Declined',
  returned: ' · Returned by the bank',
  ended: '',
} as const;

const activityOf = ({ id, date, label, amount, status }: Entry): SiteView['activity'][number] => ({
  id,
  label,
  details: longDay(date) + (status ? DETAILS[status] : ''),
  amount: (PAYS.includes(status) ? '−' : '') + money(amount),
});

const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Renders the plain page: replaces `{{name}}` with the escaped value. */
export function renderPage(template: string, view: SiteView): string {
  const { firstName, lastName, accountNumber, loaderUrl, loaderUrls, autopay, bill } = view;
  const values: Record<string, string> = {
    ...bill,
    loaderUrl,
    stagingLoaderUrl: loaderUrls.staging,
    productionLoaderUrl: loaderUrls.production,
    firstName,
    lastName,
    accountNumber,
    autopay: autopay ? 'On' : 'Off',
    payHidden: bill.state === 'Due' ? '' : 'hidden',
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`index.html uses {{${name}}}, which has no value`);
    return escape(value);
  });
}
