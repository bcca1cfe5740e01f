/** `GET session`: a session as its page receives it (R-28, R-29, R-33, R-35, D-2, D-8). */
import type { BusinessUnit } from '../../platform/config/config.js';
import type { Deps } from '../../deps.js';
import type { Account } from '../../accounts/rules/account.js';
import { billIn, type CurrentBill } from '../../accounts/current-bill.js';
import { accountsOfCharges } from '../../accounts/rules/account-sync.js';
import type { Customer } from '../../accounts/rules/customer.js';
import { autopayTerms, debitTerms, termsId } from '../../payments/rules/authorization.js';
import { isAccepted, returnsEnd, showsReceipt, type Attempt } from '../../payments/rules/attempt.js';
import { dayIn, iso } from '../../core/day.js';
import { DEFAULT_PREFERENCES } from '../../preferences/rules.js';
import { walletOf, type WalletEntry } from '../../wallet/methods.js';
import { isDisputed } from '../../ledger/rules.js';
import { automaticPayments } from '../../payments/attempts.js';
import { offeredCharges, offeredMethods } from '../../payments/rules/payment.js';
import { NO_PROCESSOR } from '../../processor/rules/port.js';
import { MAX_PAST, scheduleWindow, type Schedule } from '../../schedules/rules.js';
import { MAX_DECLINES, returnUrlOf } from '../../sessions/rules/session.js';
import type { AccountSession, PaymentSession, Session } from '../../sessions/rules/session.js';
import type { StoreTx } from '../../core/store.js';
import { hasPostcode } from '../../core/countries.js';
import { chargeObstacle, isFull, MAX_METHODS } from '../../wallet/rules.js';
import { emailsReceipts } from '../../messages/email-receipt.js';
import type {
  OfferedCharge,
  PageAccount,
  PageSession,
  PaymentPageSession,
  ScheduledPayment,
} from '../../shared/page.js';
import {
  accountView,
  autopayView,
  chargeTexts,
  receiptFacts,
  receipt,
  savedMethod,
  scheduleView,
} from './views.js';
import { defined } from '../../core/defined.js';
import { inert } from '../../shared/inert.js';
import { MAX_BUSINESS_NAME, DEFAULT_COUNTRY } from '../../shared/limits.js';
import { logosOf } from '../logo.js';

interface PageContext {
  readonly tx: StoreTx;
  readonly deps: Pick<Deps, 'env' | 'clock' | 'processor' | 'testMode' | 'config'>;
  readonly business: BusinessUnit;
}

export function pageSession(context: PageContext, session: Session): Promise<PageSession> {
  return session.flow === 'payment' ? paymentSession(context, session) : managementSession(context, session);
}

type BaseView = ReturnType<typeof baseView>;

function baseView({ deps, business }: PageContext, session: Session, customer: Customer | null) {
  const { env, clock, testMode, config } = deps;
  const now = clock.now();
  const logos = logosOf(business, session.id);
  return defined({
    id: session.id,
    environment: env === 'production' ? ('production' as const) : ('staging' as const),
    now: iso(now),
    today: dayIn(now, business.timeZone),
    expiresAt: iso(session.expiresAt),
    testMode,
    business: defined({
      name: inert(business.name, MAX_BUSINESS_NAME),
      logoUrl: logos.light,
      logoUrlDark: logos.dark,
      logoShape: business.logoShape,
      operator: config.operator?.name,
      links: business.links,
    }),
    ...countriesView(business),
    customer: customer ? customerView(customer) : undefined,
  });
}

function customerView({ emailAddress, firstName, lastName }: Customer) {
  return defined({ emailAddress, firstName, lastName });
}

async function paymentSession(context: PageContext, session: PaymentSession): Promise<PaymentPageSession> {
  const { tx, deps, business } = context;
  const { customerId } = session;
  const isOpen = session.status === 'RequiresPaymentSource';
  const [customer, wallet, attempts, automatic] = await Promise.all([
    customerId === undefined ? null : tx.customers.get(customerId),
    customerId === undefined ? [] : walletOf(tx, customerId),
    tx.attempts.ofSession(session.id),
    isOpen
      ? automaticPayments(tx, session, { now: deps.clock.now(), timeZone: business.timeZone })
      : new Map<string, boolean>(),
  ]);
  const now = deps.clock.now();
  const { request } = session;
  const offered = offeredCharges(request.Charges, business.allowAmountAdjustment);
  const paid = attempts.find(({ status }) => isAccepted(status));
  const returned = attempts.find(({ status }) => status === 'returned');
  const view = defined({
    ...baseView(context, session, customer),
    unavailable: deps.processor ? undefined : NO_PROCESSOR,
    automaticPayment: (automatic.size > 0 && [...automatic.values()].every(Boolean)) || undefined,
    scheduled: isOpen ? await nextScheduled(context, session, wallet) : undefined,
    emailsReceipts: emailsReceipts(tx, session) || undefined,
    ...paymentView(session, business, { offered, attempts, wallet, now }),
    ...(returned && (await returnView(tx, returned, now))),
    receipt:
      paid && showsReceipt(paid, now)
        ? await receipt((id) => tx.refunds.succeeded(id), request, paid)
        : undefined,
  });
  return isFinished(session, attempts, now) ? withoutPayerData(view, offered) : view;
}

/** The next payment scheduled for one of the session's accounts, by its payer or with AutoPay. Paying now doesn't cancel it. */
async function nextScheduled(
  { tx, business }: PageContext,
  { businessUnit, customerId, request }: PaymentSession,
  wallet: readonly WalletEntry[],
): Promise<PaymentPageSession['scheduled']> {
  // A scheduled payment uses a method of its payer's wallet, so most pages skip the queries below.
  if (customerId === undefined || wallet.every(({ uses }) => uses.length === 0)) return;

  const found = await Promise.all(
    accountsOfCharges(request.Charges).map(async ({ key }) => {
      const account = await tx.accounts.find(businessUnit, key.accountNumber, key.subAccountNumber);
      return account === null ? [] : scheduledFor(tx, account.id, customerId);
    }),
  );
  const canBeMade = ({ methodId, date }: Upcoming) =>
    wallet.some(
      ({ method }) =>
        method.id === methodId && chargeObstacle(method, business.paymentMethods, date) === null,
    );
  const [next] = found
    .flat()
    .filter(canBeMade)
    .sort((a, b) => (a.date < b.date ? -1 : 1));
  return next && { amount: next.amount, date: next.date };
}

type Upcoming = Pick<Schedule, 'amount' | 'date' | 'methodId'>;

/**
 * A customer's next scheduled payment for an account, and the next AutoPay charge that the merchant scheduled. Later charges
 * use the same method, so if it can't be charged, they can't be made either.
 */
async function scheduledFor(tx: StoreTx, accountId: string, customerId: string): Promise<Upcoming[]> {
  const schedule = await tx.schedules.next(accountId, customerId);
  const own = schedule === null ? [] : [schedule];
  const enrollment = await tx.autopay.ofAccount(accountId);
  if (enrollment?.customerId !== customerId) return own;

  const { methodId } = enrollment;
  const charges = await tx.attempts.scheduledFor(accountId, 1);
  return [...own, ...charges.map(({ amount, chargeOn: date = '' }) => ({ amount, date, methodId }))];
}

type ManagementSession = Exclude<Session, PaymentSession>;

async function managementSession(context: PageContext, session: ManagementSession): Promise<PageSession> {
  const { tx, deps, business } = context;
  const base = baseView(context, session, await tx.customers.get(session.customerId));
  const status = session.status === 'Completed' ? ('Completed' as const) : ('Open' as const);
  const management = { ...base, status };
  const wallet = () => walletOf(tx, session.customerId);

  switch (session.flow) {
    case 'wallet':
      return {
        ...management,
        ...methodsView(context, session, await wallet()),
        flow: 'wallet',
        maxMethods: MAX_METHODS,
        ...(deps.processor?.updateExpiry && { editsExpiry: true }),
      };
    case 'notifications': {
      const preferences = (await tx.notifications.ofCustomer(session.customerId)) ?? DEFAULT_PREFERENCES;
      return { ...management, flow: 'notifications', preferences };
    }
    case 'autopay': {
      const [upcoming, saved, enrollment] = await Promise.all([
        tx.schedules.upcoming(session.accountId, session.customerId),
        wallet(),
        enrollmentView(context, session),
      ]);
      return {
        ...management,
        ...methodsView(context, session, saved),
        flow: 'autopay',
        ...enrollment,
        ...(upcoming.length > 0 ? { scheduled: await scheduleViews(context, upcoming, saved) } : {}),
      };
    }
    case 'paperless': {
      const enrolled = (await tx.paperless.find(session.accountId, session.customerId)) !== null;
      return defined({
        ...management,
        flow: 'paperless',
        account: await managedAccount(tx, session),
        enrolled,
      });
    }
    case 'schedule-payment': {
      const [upcoming, saved, { account, enrollment, enrolledByAnother }] = await Promise.all([
        tx.schedules.upcoming(session.accountId, session.customerId),
        wallet(),
        enrollmentView(context, session),
      ]);
      return {
        ...management,
        ...methodsView(context, session, saved),
        terms: termsId({ business: business.name }),
        flow: 'schedule-payment',
        account,
        ...defined({ enrollment, enrolledByAnother }),
        ...scheduleWindow(base.today),
        scheduled: await scheduleViews(context, upcoming, saved),
        ...(upcoming.some(({ sessionId }) => sessionId === session.id) ? { hasScheduled: true } : {}),
      };
    }
    case 'scheduled-payments': {
      const [past, upcoming, saved, account] = await Promise.all([
        tx.schedules.past(session.accountId, session.customerId, MAX_PAST),
        tx.schedules.upcoming(session.accountId, session.customerId),
        wallet(),
        managedAccount(tx, session),
      ]);
      return {
        ...management,
        flow: 'scheduled-payments',
        account,
        scheduled: await scheduleViews(context, [...past, ...upcoming], saved),
      };
    }
    default:
      return session satisfies never;
  }
}

function methodsView(
  { deps, business }: PageContext,
  { flow }: ManagementSession,
  wallet: readonly WalletEntry[],
) {
  const { paymentMethods } = business;
  // The wallet shows all methods, other flows only those that can be charged.
  const shown = wallet.filter(({ method }) => flow === 'wallet' || paymentMethods.includes(method.method));
  return {
    ...(deps.processor ? {} : { unavailable: NO_PROCESSOR }),
    methods: [...paymentMethods],
    savedMethods: shown.map(savedMethod),
  };
}

async function enrollmentView({ tx, deps, business }: PageContext, session: AccountSession) {
  const [enrollment, stored] = await Promise.all([
    tx.autopay.ofAccount(session.accountId),
    tx.accounts.get(session.accountId),
  ]);
  const own = enrollment?.customerId === session.customerId ? enrollment : null;
  const bill = await billIn(tx, stored);
  const account = accountOf(session, stored, bill);
  return defined({
    terms: termsId(autopayTerms(business, account)),
    chargedBy: business.autopay,
    account,
    enrollment: own
      ? await autopayView(tx, own, bill, business, { now: deps.clock.now(), env: deps.env })
      : undefined,
    enrolledByAnother: enrollment !== own || undefined,
  });
}

function countriesView({ countries }: BusinessUnit): Pick<PageSession, 'countries' | 'withoutPostcode'> {
  if (countries.join() === DEFAULT_COUNTRY) return {};
  return { countries: [...countries], withoutPostcode: countries.filter((code) => !hasPostcode(code)) };
}

interface PaymentFacts {
  readonly offered: readonly OfferedCharge[];
  readonly attempts: readonly Attempt[];
  readonly wallet: readonly WalletEntry[];
  readonly now: number;
}

function paymentView(
  session: PaymentSession,
  business: BusinessUnit,
  { offered, attempts, wallet, now }: PaymentFacts,
): Omit<PaymentPageSession, keyof BaseView> {
  const { request } = session;
  const methods = offeredMethods(business.paymentMethods, request.PaymentMethods);
  const inFlight = attempts.find(({ status }) => status === 'processing');
  return defined({
    flow: 'payment',
    // Expired and canceled sessions are refused earlier.
    status: session.status as PaymentPageSession['status'],
    channel: request.Channel,
    posUser: request.PosUser,
    descriptor: request.PaymentDescriptor,
    clientReference: request.ClientReference,
    charges: offered.map((charge) => {
      const requested = request.Charges[charge.index];
      const account = requested?.ClientAccount && accountView(requested.ClientAccount);
      return defined({ ...charge, ...chargeTexts(requested), account });
    }),
    fields: business.paymentFields.map((field) => {
      const { PaymentFields: given = {} } = request;
      const value = Object.hasOwn(given, field.key) ? String(given[field.key]) : undefined;
      return defined({ ...field, value });
    }),
    methods,
    terms: methods.includes('ACH') ? termsId(debitTerms(business, now)) : undefined,
    savedMethods: wallet.filter(({ method }) => methods.includes(method.method)).map(savedMethod),
    canSave: session.customerId !== undefined && !isFull(wallet),
    successUrl: request.SuccessUrl,
    returnUrl: returnUrlOf(session, now),
    attemptsLeft: MAX_DECLINES - session.declines,
    inFlight: inFlight?.requestId,
    inFlightAmount: inFlight?.amount,
    customMeta: request.CustomMeta,
    chargeMeta: request.Charges.map(({ CustomMeta }) => CustomMeta ?? null),
  });
}

async function returnView(
  tx: StoreTx,
  returned: Attempt,
  now: number,
): Promise<Pick<PaymentPageSession, 'disputed' | 'returned'>> {
  if (await isDisputed(tx.ledger, returned)) return { disputed: true };
  return now < returnsEnd(returned) ? { returned: receiptFacts(returned) } : {};
}

/** Whether no further payment is possible, even if an attempt in flight fails. */
function isFinished(session: PaymentSession, attempts: readonly Attempt[], now: number): boolean {
  const open =
    session.status === 'RequiresPaymentSource' || attempts.some(({ status }) => status === 'processing');
  return !open || now >= session.expiresAt;
}

/**
 * a finished session shows its receipt and no other personal data. The merchant's texts about the payment stay as
 * long as the page may report it.
 */
function withoutPayerData(
  session: PaymentPageSession,
  offered: readonly OfferedCharge[],
): PaymentPageSession {
  const { customer: _, posUser: __, scheduled: ___, customMeta, chargeMeta, ...rest } = session;
  const { descriptor, clientReference, successUrl, ...view } = rest;
  const mayReport = view.receipt !== undefined || view.inFlight !== undefined;
  return {
    ...view,
    ...(mayReport ? defined({ customMeta, descriptor, clientReference, successUrl }) : {}),
    chargeMeta: chargeMeta.map((meta) => (mayReport ? meta : null)),
    charges: mayReport ? view.charges.map(({ account: ____, ...charge }) => charge) : [...offered],
    fields: view.fields.map(({ value: _____, ...field }) => field),
    savedMethods: [],
    canSave: false,
  };
}

/** Reads only methods that are no longer in the wallet. */
async function scheduleViews(
  { tx, business }: PageContext,
  schedules: readonly Schedule[],
  wallet: readonly WalletEntry[],
): Promise<ScheduledPayment[]> {
  const methods = new Map(wallet.map((entry) => [entry.method.id, entry]));
  const views: ScheduledPayment[] = [];
  for (const schedule of schedules)
    views.push(await scheduleView(tx, schedule, business.paymentMethods, methods));
  return views;
}

async function managedAccount(tx: StoreTx, session: AccountSession): Promise<PageAccount> {
  const account = await tx.accounts.get(session.accountId);
  return accountOf(
    session,
    account,
    account?.fields.DueDate === undefined ? null : await billIn(tx, account),
  );
}

/** The stored account, with the note from this session's request (D-2), and without what has been paid of its bill. */
export function accountOf(
  session: AccountSession,
  account: Account | null,
  bill: CurrentBill | null,
): PageAccount {
  const { AccountNumber, SubAccountNumber = '', Note } = session.request.ClientAccount;
  return accountView({
    ...account?.fields,
    AccountNumber,
    SubAccountNumber,
    ...defined({ Note, Balance: unpaid(account?.fields.Balance, bill) }),
  });
}

/**
 * The balance in cents, minus what has been paid since it was first synced, as AutoPay would charge it. Without
 * a due date, nothing is deducted, because the same balance may be next month's.
 */
function unpaid(balance: number | undefined, bill: CurrentBill | null): number | undefined {
  if (balance === undefined || bill?.dueDate === undefined) return balance;
  return balance - (bill.paid?.amount ?? 0);
}
