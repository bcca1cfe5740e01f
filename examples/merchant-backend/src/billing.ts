/** The site's requests to the service. Amounts come from the ledger, never from the browser. */
import { createHash } from 'node:crypto';
import { isServiceError, type CreatedSession, type ServiceClient } from '@embedded-sessions/server';
import type { WebhookEvent } from '@embedded-sessions/server-types';
import {
  balanceOf,
  dueDateOf,
  openSession,
  payableOf,
  pendingOf,
  postBill,
  recordPayments,
  recordScheduled,
  scheduledOf,
  turn,
  type Customer,
} from './ledger.js';
import type { Store } from './store.js';

/** An error whose message the customer sees. */
export class UserError extends Error {}

export interface Billing {
  /** Creates a session for one of the seven flows. Returns `undefined` if there is no such flow. */
  createSession(customer: Customer, flow: string): Promise<CreatedSession<unknown> | undefined>;
  /** Asks the service, because the page's result doesn't prove a payment, and may be `unknown`. */
  confirm(customerId: string): Promise<Customer>;
  handleWebhook(event: WebhookEvent): Promise<void>;
  changeEmail(customer: Customer, emailAddress: string): Promise<Customer>;
  stopAutopay(customer: Customer): Promise<Customer>;
  /** Posts the next bill. The service charges an AutoPay account's last synced balance, so this syncs it. */
  postBill(customerId: string): Promise<Customer>;
}

export function createBilling(deps: {
  client: ServiceClient;
  businessUnit: string;
  store: Store;
  now: () => Date;
}): Billing {
  const { client, businessUnit: BusinessUnitSlug, store } = deps;

  const clientUser = (customer: Customer) => ({
    EmailAddress: customer.emailAddress,
    FirstName: customer.firstName,
    LastName: customer.lastName,
  });
  const clientAccount = (customer: Customer) => ({
    AccountNumber: customer.accountNumber,
    Name: `${customer.firstName} ${customer.lastName}`,
    Address: { StreetAddress: '18 Lantern Street', City: 'Harborlight', State: 'ME', ZipCode: '04101' },
    Balance: Math.max(balanceOf(customer), 0),
    DueDate: dueDateOf(customer),
  });

  const tasks = new Map<string, Promise<unknown>>();
  /** Runs a customer's tasks one after another, so that an older response never overwrites a newer one. */
  function inTurn<T>(customerId: string, task: () => Promise<T>): Promise<T> {
    const result = (tasks.get(customerId) ?? Promise.resolve()).then(task, task);
    tasks.set(customerId, result);
    return result;
  }

  /** Queries a session and records its payments. */
  async function refresh(customerId: string, sessionId: string): Promise<void> {
    const session = await client.sessions.retrieve(BusinessUnitSlug, sessionId);
    store.update(customerId, (customer) => recordPayments(customer, session));
  }
  /** Queries every payment session whose result is not final. */
  async function reconcile(customerId: string): Promise<Customer> {
    for (const { id } of store.get(customerId)?.openSessions ?? []) await refresh(customerId, id);
    return store.update(customerId, (customer) => customer);
  }

  async function createPayment(customerId: string) {
    // A second tab, or a customer who reloads after paying, must not be charged again: check the existing sessions first.
    let customer = await reconcile(customerId);
    const amount = payableOf(customer);
    if (amount <= 0)
      throw new UserError(
        pendingOf(customer) + scheduledOf(customer) > 0
          ? 'Nothing is due. Your payment is on its way.'
          : 'Nothing is due.',
      );
    const request = {
      BusinessUnitSlug,
      Channel: 'QuickPay' as const,
      PaymentDescriptor: 'Water and sewer',
      Charges: [{ Amount: amount, Description: '18 Lantern Street', ClientAccount: clientAccount(customer) }],
      ClientUser: clientUser(customer),
    };
    // The reference is also the idempotency key. It stays the same until the request changes or a session ends, so
    // another press of Pay gets the same session.
    const referenceOf = ({ endedSessions }: Customer): string => {
      const attempt = JSON.stringify([request, endedSessions]);
      return `HL-${createHash('sha256').update(attempt).digest('hex').slice(0, 20)}`;
    };
    // Another tab may still show a session with an earlier request. Canceling it fails if its payment is in flight.
    for (const open of customer.openSessions)
      if (open.reference !== referenceOf(customer)) await client.sessions.cancel(BusinessUnitSlug, open.id);
    customer = await reconcile(customerId);
    const reference = referenceOf(customer);
    const session = await client.payments.create(
      { ...request, ClientReference: reference },
      { idempotencyKey: reference },
    );
    store.update(customerId, (each) => openSession(each, session.sessionId, reference));
    return session;
  }

  const createSession: Billing['createSession'] = async (customer, flow) => {
    const byCustomer = { BusinessUnitSlug, ClientUser: clientUser(customer) };
    // The service may not know the account yet (D-4).
    const byAccount = { ...byCustomer, SyncAccount: true, ClientAccount: clientAccount(customer) };
    switch (flow) {
      case 'payment':
        return inTurn(customer.id, () => createPayment(customer.id));
      case 'autopay':
        return client.autopay.create(byAccount);
      case 'paperless':
        return client.paperless.create(byAccount);
      case 'schedule-payment':
        return client.schedulePayment.create(byAccount);
      case 'scheduled-payments':
        return client.scheduledPayments.create(byAccount);
      case 'wallet':
        return client.wallet.create(byCustomer);
      case 'notifications':
        return client.notifications.create(byCustomer);
      default:
        return undefined;
    }
  };

  return {
    createSession,

    confirm: (customerId) => inTurn(customerId, () => reconcile(customerId)),

    async handleWebhook({ type, timestamp, data }) {
      const number = data.Account?.AccountNumber ?? data.Charges[0]?.ClientAccount?.AccountNumber;
      const owner = number === undefined ? undefined : store.findByAccount(number);
      if (!owner) return;
      // Deliveries may repeat and arrive out of order, so a payment's event only triggers a query, and others count by time.
      if (data.Payment) await inTurn(owner.id, () => refresh(owner.id, data.PaymentSessionIdentifier));
      if (type === 'autopay.enrolled' || type === 'autopay.unenrolled')
        store.update(owner.id, (each) => turn(each, 'autopay', type === 'autopay.enrolled', timestamp));
      const { Paperless, ScheduledPayment } = data;
      if (ScheduledPayment) store.update(owner.id, (each) => recordScheduled(each, ScheduledPayment));
      if (Paperless) store.update(owner.id, (each) => turn(each, 'paperless', Paperless.Enrolled, timestamp));
    },

    async changeEmail(customer, emailAddress) {
      const { id, accountNumber, firstName, lastName, emailAddress: originalEmailAddress } = customer;
      if (emailAddress === originalEmailAddress) return customer;
      const emailInUse = 'Another customer has that email address.';
      const holder = store.findByEmail(emailAddress);
      if (holder && holder.id !== id) throw new UserError(emailInUse);
      try {
        // The service first: if it refuses, nothing has changed here.
        await client.events.manageCustomer({
          businessUnitSlug: BusinessUnitSlug,
          payload: {
            accountNumber,
            subAccountNumber: '',
            firstName,
            lastName,
            emailAddress,
            originalEmailAddress,
          },
        });
      } catch (error) {
        if (hasCode(error, 'email_in_use')) throw new UserError(emailInUse);
        // A customer that the service doesn't know has nothing to change. The next session has the new address.
        if (!hasCode(error, 'customer_not_found')) throw error;
      }
      return store.update(id, (each) => ({ ...each, emailAddress }));
    },

    async stopAutopay({ id, accountNumber }) {
      await client.events.unenrollAutopay({
        businessUnitSlug: BusinessUnitSlug,
        payload: { accountNumber, subAccountNumber: '' },
      });
      return store.update(id, (customer) => ({ ...customer, autopay: false }));
    },

    async postBill(customerId) {
      const customer = store.update(customerId, (before) => postBill(before, deps.now()));
      if (customer.autopay) await createSession(customer, 'autopay');
      return customer;
    },
  };
}

const hasCode = (error: unknown, code: string): boolean =>
  isServiceError(error) && error.errors.some((problem) => problem.code === code);
