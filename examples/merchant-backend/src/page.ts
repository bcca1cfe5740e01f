/** The data for the pages: JSON for the React app, HTML for the plain page. */
import type { Config, Environment } from './config.js';
import { balanceOf, dueDateOf, pendingOf, type Account, type Customer, type Entry } from './ledger.js';

export interface AccountView {
  number: string;
  nickname: string;
  street: string;
  city: string;
  /** Integer cents payable now. */
  balance: number;
  /** Integer cents pending from a bank. */
  pending: number;
  /** `YYYY-MM-DD`, if anything is owed. */
  dueDate?: string;
  /** AutoPay will charge the balance on that day. False if that charge was declined. */
  autopayDue: boolean;
  autopay: boolean;
  paperless: boolean;
  /** Thousands of gallons per month, ending with this month. */
  usage: number[];
  /** Newest first. */
  entries: Entry[];
}

export interface SiteView {
  environment: Environment;
  /** The SDK script's URL in this environment and in both, so the loader can tell them apart. */
  loaderUrl: string;
  loaderUrls: Record<Environment, string>;
  customer: Pick<Customer, 'firstName' | 'lastName' | 'emailAddress'>;
  accounts: AccountView[];
}

export function viewOf(config: Config, customer: Customer): SiteView {
  const { firstName, lastName, emailAddress } = customer;
  return {
    environment: config.environment,
    loaderUrl: config.loaderUrl,
    loaderUrls: {
      staging: config.operator.staging.loaderUrl,
      production: config.operator.production.loaderUrl,
    },
    customer: { firstName, lastName, emailAddress },
    accounts: customer.accounts.map(viewOfAccount),
  };
}

function viewOfAccount(account: Account): AccountView {
  const { number, nickname, street, city, autopay, paperless, usage, entries } = account;
  const dueDate = dueDateOf(account);
  return {
    number,
    nickname,
    street,
    city,
    balance: balanceOf(account),
    pending: pendingOf(account),
    ...(dueDate !== undefined && { dueDate }),
    autopayDue:
      autopay &&
      dueDate !== undefined &&
      !entries.some(({ status, date }) => status === 'declined' && date >= dueDate),
    autopay,
    paperless,
    usage,
    entries: entries.toReversed(),
  };
}

const money = (cents: number): string =>
  (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
const longDay = (date: string): string =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString('en-US', {
    month: 'long',
    day: 'numeric',
    year: 'numeric',
    timeZone: 'UTC',
  });
const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const PAYMENT_STATUS = {
  paid: 'Paid',
  pending: 'On its way',
  declined: 'Declined',
  returned: 'Returned by the bank',
} as const;

/** Renders the plain page, which shows the customer's first account. Escapes the values of placeholders. */
export function renderPage(
  template: string,
  page: { config: Config; customer: Customer; loaderUrl: string; wrongLoader: boolean },
): string {
  const { config, customer, wrongLoader } = page;
  const view = viewOf(config, customer);
  const account = view.accounts[0];
  if (!account) throw new Error('A customer has at least one account');
  const other = config.environment === 'staging' ? 'production' : 'staging';
  const { balance, pending, entries, usage } = account;
  const last = entries[0];
  const justPaid = balance <= 0 && last?.kind === 'payment' && last.status === 'paid';

  const text: Record<string, string> = {
    loaderUrl: page.loaderUrl,
    stagingLoaderUrl: view.loaderUrls.staging,
    productionLoaderUrl: view.loaderUrls.production,
    environment: config.environment,
    loaderEnvironment: wrongLoader ? other : config.environment,
    switchUrl: wrongLoader ? '/' : '/?loader=other',
    switchText: wrongLoader
      ? `Go back to the ${config.environment} loader`
      : `Try the ${config.environment} session with the ${other} loader`,
    firstName: customer.firstName,
    lastName: customer.lastName,
    nickname: account.nickname,
    street: account.street,
    number: account.number,
    billTitle: entries.find(({ kind }) => kind === 'bill')?.label ?? 'Your bill',
    balance: money(balance),
    pill: balance > 0 ? 'Due' : pending > 0 ? 'On its way' : 'Paid',
    pillKind: balance > 0 ? '' : pending > 0 ? '' : 'pill--ok',
    due: account.dueDate
      ? `Due ${longDay(account.dueDate)}${account.autopayDue ? ', by AutoPay' : ''}`
      : pending > 0
        ? `${money(pending)} is on its way from your bank.`
        : 'Nothing is due.',
    notice: justPaid ? `Thank you. We received ${money(last.amount)}, ${last.label.toLowerCase()}.` : '',
    noticeKind: justPaid ? 'notice--ok' : '',
    payHidden: balance > 0 ? '' : 'hidden',
    autopay: account.autopay ? 'On' : 'Off',
    autopayKind: account.autopay ? 'pill--ok' : '',
    usageLabel: `Water used in each of the last twelve months, in thousands of gallons: ${usage.join(', ')}`,
    usageCaption: `${usage.at(-1)},000 gallons this month, ${usage.at(-2)},000 the month before`,
  };
  const markup: Record<string, string> = {
    usageBars: chartBars(usage, entries.find(({ kind }) => kind === 'bill')?.date),
    activity: entries.map(activityRow).join('\n'),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = markup[name] ?? (text[name] === undefined ? undefined : escape(text[name]));
    if (value === undefined) throw new Error(`index.html uses {{${name}}}, which has no value`);
    return value;
  });
}

const activityRow = ({ kind, date, label, amount, status }: Entry): string => `<tr>
  <th scope="row">${escape(label)}<br /><span class="muted small">${longDay(date)}${
    kind === 'payment' && status ? ` · ${PAYMENT_STATUS[status]}` : ''
  }</span></th>
  <td>${kind === 'payment' ? '−' : ''}${money(amount)}</td>
</tr>`;

const letter = new Intl.DateTimeFormat('en-US', { month: 'narrow', timeZone: 'UTC' });

/** Twelve bars in a box of 360 × 138, scaled to the highest value. `until` is a day of the last month, `YYYY-MM-DD`. */
export function chartBars(usage: readonly number[], until?: string): string {
  const highest = Math.max(...usage, 1);
  const [year = 2000, month = 1] = (until ?? '').split('-').map(Number);
  const bars = usage.map((used, index) => {
    const height = Math.round((used / highest) * 108);
    return `<rect x="${index * 30 + 4}" y="${116 - height}" width="22" height="${height}" rx="4" />`;
  });
  const months = usage.map(
    (_, index) =>
      `<text x="${index * 30 + 15}" y="134">${letter.format(Date.UTC(year, month - usage.length + index))}</text>`,
  );
  return `<line x1="0" y1="118" x2="360" y2="118" />${bars.join('')}${until === undefined ? '' : months.join('')}`;
}
