import { FLOWS, type Flow } from '@embedded-sessions/server-types';
import type {
  SessionRequests,
  AccountSessionRequest,
  CustomerSessionRequest,
  PaymentSessionRequest,
} from '../core/requests.js';
import {
  accountKey,
  accountsOfCharges,
  mergeFields,
  sessionAccount,
} from '../accounts/rules/account-sync.js';
import type { AccountFields } from '../accounts/rules/account.js';
import type { BillSync } from '../accounts/rules/bill.js';
import { ServiceError } from '../core/error.js';
import type {
  AccountFlow,
  AccountSession,
  CustomerFlow,
  CustomerSession,
  PaymentSession,
  Session,
} from './rules/session.js';
import type { StoreTx } from '../core/store.js';
import { claimReference } from '../api/claim-reference.js';
import { syncAccount, syncCustomer, type SyncContext, idSecret } from '../accounts/sync.js';
import { remindAgain } from '../autopay/remind-again.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { dayIn } from '../core/day.js';
import { defined } from '../core/defined.js';

export interface Creation extends SyncContext {
  readonly id: string;
  readonly unit: BusinessUnit;
  readonly secretKeyId: string;
  /** See `ActContext`. */
  readonly now: Promise<number>;
}

/**
 * Syncs accounts and customer and inserts the session, all in one transaction (D-9).
 * @throws ServiceError `client_reference_taken` or `account_not_synced`
 */
export async function createSession<F extends Flow>(
  tx: StoreTx,
  flow: F,
  request: SessionRequests[F],
  creation: Creation,
): Promise<Session> {
  const session = await SESSIONS[flow](tx, request, creation);
  await tx.sessions.insert(session);
  return session;
}

type CreateFlow<F extends Flow> = (
  tx: StoreTx,
  request: SessionRequests[F],
  creation: Creation,
) => Promise<Session>;

const SESSIONS: { readonly [F in Flow]: CreateFlow<F> } = {
  payment: paymentSession,
  autopay: (...args) => accountSession('autopay', ...args),
  paperless: (...args) => accountSession('paperless', ...args),
  'schedule-payment': (...args) => accountSession('schedule-payment', ...args),
  'scheduled-payments': (...args) => accountSession('scheduled-payments', ...args),
  wallet: (...args) => customerSession('wallet', ...args),
  notifications: (...args) => customerSession('notifications', ...args),
};

/** D-3, D-8. */
async function paymentSession(
  tx: StoreTx,
  request: PaymentSessionRequest,
  creation: Creation,
): Promise<PaymentSession> {
  const { unit, newId } = creation;
  const businessUnit = unit.slug;
  const requested = accountsOfCharges(request.Charges);
  // Read in parallel, then write in a fixed order.
  const [now, secret, accounts, customer] = await Promise.all([
    creation.now,
    idSecret(tx),
    Promise.all(
      requested.map(({ key }) => tx.accounts.find(businessUnit, key.accountNumber, key.subAccountNumber)),
    ),
    request.ClientUser ? tx.customers.find(businessUnit, request.ClientUser.EmailAddress) : null,
    claimReference(tx, businessUnit, request.ClientReference),
  ]);
  const accountIds: string[] = [];
  for (const [index, account] of requested.entries()) {
    const found = accounts[index] ?? null;
    const bill = billSync(account.fields, now, unit);
    const synced = await syncAccount(tx, { businessUnit, ...account, found, secret, bill });
    await remindAgain(tx, { found, synced }, unit, { now, newId });
    accountIds.push(synced.id);
  }
  const customerId =
    request.ClientUser && (await syncCustomer(tx, creation, request.ClientUser, customer, accountIds));
  const automaticPayments = accounts.map((account) => account?.automaticPayments ?? 0);
  return {
    flow: 'payment',
    status: 'RequiresPaymentSource',
    ...commonFields('payment', creation, now),
    ...defined({ customerId }),
    ...(automaticPayments.some((count) => count > 0) ? { automaticPayments } : {}),
    request: { ...request, Charges: sessionCharges(request.Charges) },
  };
}

/** D-4. */
async function accountSession(
  flow: AccountFlow,
  tx: StoreTx,
  request: AccountSessionRequest,
  creation: Creation,
): Promise<AccountSession> {
  const { unit, newId } = creation;
  const businessUnit = unit.slug;
  const key = accountKey(request.ClientAccount);
  const [now, secret, account, customer] = await Promise.all([
    creation.now,
    idSecret(tx),
    tx.accounts.find(businessUnit, key.accountNumber, key.subAccountNumber),
    tx.customers.find(businessUnit, request.ClientUser.EmailAddress),
  ]);
  const bill = request.SyncAccount === true ? billSync(request.ClientAccount, now, unit) : undefined;
  const fields = managedFields(account?.fields, request);
  const synced = await syncAccount(tx, {
    businessUnit,
    key,
    found: account,
    fields,
    secret,
    ...defined({ bill }),
  });
  await remindAgain(tx, { found: account, synced }, unit, { now, newId });
  const customerId = await syncCustomer(tx, creation, request.ClientUser, customer, [synced.id]);
  const stored = { ...request, ClientAccount: sessionAccount(request.ClientAccount) };
  const common = commonFields(flow, creation, now);
  return {
    flow,
    status: 'Open',
    accountId: synced.id,
    customerId,
    ...(flow === 'schedule-payment' && { automaticPayments: [account?.automaticPayments ?? 0] }),
    request: stored,
    ...common,
  };
}

function billSync(
  { Balance, DueDate }: { readonly Balance?: number | undefined; readonly DueDate?: string | undefined },
  now: number,
  { timeZone }: BusinessUnit,
): BillSync {
  return {
    hasBalance: Balance !== undefined,
    hasDueDate: DueDate !== undefined,
    now,
    today: dayIn(now, timeZone),
  };
}

/** D-5. */
async function customerSession(
  flow: CustomerFlow,
  tx: StoreTx,
  request: CustomerSessionRequest,
  creation: Creation,
): Promise<CustomerSession> {
  const [now, customer] = await Promise.all([
    creation.now,
    tx.customers.find(creation.unit.slug, request.ClientUser.EmailAddress),
  ]);
  const customerId = await syncCustomer(tx, creation, request.ClientUser, customer, []);
  return { flow, status: 'Open', customerId, request, ...commonFields(flow, creation, now) };
}

function commonFields(flow: Session['flow'], { id, unit, secretKeyId }: Creation, now: number) {
  return {
    id,
    businessUnit: unit.slug,
    secretKeyId,
    createdAt: now,
    expiresAt: now + FLOWS[flow].lifetimeMs,
    declines: 0,
  };
}

/** D-4: a new account needs `SyncAccount: true`, and a known one changes only with it. */
function managedFields(
  current: AccountFields | undefined,
  { ClientAccount, SyncAccount }: AccountSessionRequest,
): AccountFields {
  if (SyncAccount === true) return mergeFields(current ?? {}, ClientAccount);
  if (current !== undefined) return current;

  throw new ServiceError(
    'account_not_synced',
    'ClientAccount is new to the service: send SyncAccount: true to create it.',
    { field: 'SyncAccount' },
  );
}

function sessionCharges(charges: PaymentSessionRequest['Charges']): PaymentSessionRequest['Charges'] {
  return charges.map((charge) =>
    charge.ClientAccount === undefined
      ? charge
      : { ...charge, ClientAccount: sessionAccount(charge.ClientAccount) },
  );
}
