/** The site's requests to the service. Amounts come from the ledger, never from the browser. */
import { createHash } from 'node:crypto';
import { isServiceError, type CreatedSession, type ServiceClient } from '@embedded-sessions/server';
import type { AccountSessionRequest, Charge, WebhookEvent } from '@embedded-sessions/server-types';
import {
  accountOf,
  balanceOf,
  basisOf,
  dueDateOf,
  openSession,
  pendingOf,
  postBills,
  recordAutopay,
  recordCharges,
  recordPaperless,
  recordPayment,
  recordScheduled,
  type Account,
  type Customer,
  type ManagementFlow,
} from './ledger.js';
import type { Store } from './store.js';
import { createKeyedQueue } from './queue.js';

/** An error whose message the customer sees. */
export class UserError extends Error {
  constructor(
    readonly code: 'nothing_due' | 'unknown_account' | 'email_in_use',
    message: string,
  ) {
    super(message);
  }
}

export interface Billing {
  payment(customerId: string, accountNumbers: readonly string[]): Promise<CreatedSession<unknown>>;
  manage(customer: Customer, flow: ManagementFlow, accountNumber: string): Promise<CreatedSession<unknown>>;
  /** Queries every unsettled payment and stores the results. */
  confirm(customerId: string): Promise<Customer>;
  handleWebhook(event: WebhookEvent): Promise<void>;
  changeProfile(
    customerId: string,
    profile: Pick<Customer, 'firstName' | 'lastName' | 'emailAddress'>,
  ): Promise<Customer>;
  stopAutopay(customer: Customer, accountNumber: string): Promise<Customer>;
  /** Adds a month's bill to every account, and syncs the accounts that the service charges. */
  postBills(customerId: string): Promise<Customer>;
}

export function createBilling(deps: {
  client: ServiceClient;
  businessUnit: string;
  store: Store;
  now: () => Date;
}): Billing {
  const { client, businessUnit: BusinessUnitSlug, store } = deps;
  const today = (): string => deps.now().toISOString().slice(0, 10);

  const account = (customer: Customer, number: string): Account => {
    const found = accountOf(customer, number);
    if (!found) throw new UserError('unknown_account', 'That account is not one of yours.');
    return found;
  };
  const clientUser = (customer: Customer) => ({
    EmailAddress: customer.emailAddress,
    FirstName: customer.firstName,
    LastName: customer.lastName,
  });
  const clientAccount = (customer: Customer, { number, street, city, state, zip }: Account) => ({
    AccountNumber: number,
    Name: `${customer.firstName} ${customer.lastName}`,
    Address: { StreetAddress: street, City: city, State: state, ZipCode: zip },
  });

  const enqueue = createKeyedQueue();

  /**
   * Queries a payment session and stores its result. A webhook and a page may query concurrently; the queue keeps an
   * older response from overwriting a newer one.
   */
  const refresh = (customerId: string, sessionId: string): Promise<void> =>
    enqueue(sessionId, async () => {
      const details = await client.sessions.retrieve(BusinessUnitSlug, sessionId);
      store.update(customerId, (customer) => recordPayment(customer, details, today()));
    });
  /** Does the same for the AutoPay charges that the service makes under the session in which the customer enrolled. */
  const refreshCharges = (customerId: string, number: string, sessionId: string): Promise<void> =>
    enqueue(sessionId, async () => {
      const { Payments } = await client.sessions.retrieve(BusinessUnitSlug, sessionId);
      store.update(customerId, (customer) => recordCharges(customer, number, Payments));
    });
  const refreshAll = async (customerId: string): Promise<void> => {
    const open = store.get(customerId)?.sessions.filter((session) => session.state === 'open') ?? [];
    await Promise.all(open.map((session) => refresh(customerId, session.sessionId)));
  };

  const createPayment: Billing['payment'] = async (customerId, numbers) => {
    // A second tab, or a customer who reloads after paying, must not be charged again: check the existing sessions first.
    await refreshAll(customerId);
    const customer = store.get(customerId);
    if (!customer) throw new UserError('unknown_account', 'Sign in again.');
    const due = numbers.map((number) => account(customer, number)).filter((each) => balanceOf(each) > 0);
    const Charges = due.map((each): Charge => ({
      Amount: balanceOf(each),
      Description: `${each.nickname}, ${each.street}`,
      ClientAccount: {
        ...clientAccount(customer, each),
        Balance: balanceOf(each),
        DueDate: dueDateOf(each),
      },
    }));
    if (Charges.length === 0) {
      const isPending = customer.accounts.some((each) => pendingOf(each) > 0);
      const reason = isPending ? 'Your payment is on its way.' : 'Thank you for paying early.';
      throw new UserError('nothing_due', `Nothing is due. ${reason}`);
    }

    const basis = basisOf(due);
    const attempts = customer.sessions.filter((each) => each.basis === basis && each.state !== 'open').length;
    const digest = createHash('sha256').update(`${customer.id} ${basis}`).digest('hex').slice(0, 12);
    const reference = `HL-${digest}-${attempts + 1}`;
    // The reference is the idempotency key: if nothing changed, the service returns the same session.
    const session = await client.payments.create(
      {
        BusinessUnitSlug,
        Channel: 'QuickPay',
        ClientReference: reference,
        PaymentDescriptor: 'Water and sewer',
        Charges,
        ClientUser: clientUser(customer),
        CustomMeta: { customer: customer.id },
      },
      { idempotencyKey: reference },
    );
    store.update(customerId, (each) =>
      openSession(each, {
        sessionId: session.sessionId,
        reference,
        accounts: due.map(({ number }) => number),
        basis,
        state: 'open',
      }),
    );
    return session;
  };

  /** Concurrent presses of Pay share one request. */
  const running = new Map<string, ReturnType<Billing['payment']>>();

  return {
    payment(customerId, numbers) {
      const key = [customerId, ...numbers].join(' ');
      const joined =
        running.get(key) ??
        enqueue(customerId, () => createPayment(customerId, numbers)).finally(() => running.delete(key));
      running.set(key, joined);
      return joined;
    },

    manage(customer, flow, accountNumber) {
      const ClientUser = clientUser(customer);
      if (flow === 'wallet') return client.wallet.create({ BusinessUnitSlug, ClientUser });
      if (flow === 'notifications') return client.notifications.create({ BusinessUnitSlug, ClientUser });
      const owned = account(customer, accountNumber);
      const request: AccountSessionRequest = {
        BusinessUnitSlug,
        // The service may not know the account yet (D-4).
        SyncAccount: true,
        ClientAccount: {
          ...clientAccount(customer, owned),
          Balance: Math.max(balanceOf(owned), 0),
          DueDate: dueDateOf(owned),
        },
        ClientUser,
      };
      switch (flow) {
        case 'autopay':
          return client.autopay.create(request);
        case 'paperless':
          return client.paperless.create(request);
        case 'schedule-payment':
          return client.schedulePayment.create(request);
        case 'scheduled-payments':
          return client.scheduledPayments.create(request);
      }
    },

    async confirm(customerId) {
      await refreshAll(customerId);
      return store.update(customerId, (customer) => customer);
    },

    async handleWebhook({ type, data }) {
      const number = data.Account?.AccountNumber;
      const named = data.CustomMeta?.['customer'];
      const owner = store.get(typeof named === 'string' ? named : undefined) ?? store.findByAccount(number);
      if (!owner) return;
      // Deliveries may repeat and arrive out of order, so a payment's event only triggers a query.
      if (data.Flow === 'payment') return refresh(owner.id, data.PaymentSessionIdentifier);
      if (number === undefined) return;
      if (data.Flow === 'autopay' && type.startsWith('payment.'))
        return refreshCharges(owner.id, number, data.PaymentSessionIdentifier);
      const { Paperless, ScheduledPayment } = data;
      if (type === 'autopay.enrolled' || type === 'autopay.unenrolled')
        store.update(owner.id, (customer) => recordAutopay(customer, number, type === 'autopay.enrolled'));
      if (Paperless)
        store.update(owner.id, (customer) => recordPaperless(customer, number, Paperless.Enrolled));
      if (type === 'scheduled_payment.executed' && ScheduledPayment) {
        const { Identifier: id, Amount: amount, Date: date } = ScheduledPayment;
        store.update(owner.id, (customer) => recordScheduled(customer, number, { id, amount, date }));
      }
    },

    async changeProfile(customerId, profile) {
      const before = store.get(customerId);
      if (!before) throw new UserError('unknown_account', 'Sign in again.');
      const holder = store.findByEmail(profile.emailAddress);
      if (holder && holder.id !== customerId) throw emailInUse();
      // Update the service first: if it refuses, we keep our data unchanged.
      for (const { number } of before.accounts) {
        const event = {
          businessUnitSlug: BusinessUnitSlug,
          accountNumber: number,
          subAccountNumber: '',
          ...profile,
        };
        const move = { ...event, originalEmailAddress: before.emailAddress };
        await client.events
          .manageCustomer(profile.emailAddress === before.emailAddress ? event : move)
          .catch((error: unknown) => {
            if (hasCode(error, 'email_in_use')) throw emailInUse();
            // The service doesn't know this customer, so there is no address to change.
            if (hasCode(error, 'customer_not_found')) return client.events.manageCustomer(event);
            throw error;
          });
      }
      return store.update(customerId, (customer) => ({ ...customer, ...profile }));
    },

    async stopAutopay(customer, accountNumber) {
      const { number } = account(customer, accountNumber);
      await client.events.unenrollAutopay({
        businessUnitSlug: BusinessUnitSlug,
        accountNumber: number,
        subAccountNumber: '',
      });
      return store.update(customer.id, (each) => recordAutopay(each, number, false));
    },

    async postBills(customerId) {
      const customer = store.update(customerId, (before) => postBills(before, deps.now()));
      for (const { number, autopay } of customer.accounts)
        if (autopay) await this.manage(customer, 'autopay', number);
      return customer;
    },
  };
}

const emailInUse = (): UserError => new UserError('email_in_use', 'Another customer has that email address.');

const hasCode = (error: unknown, code: string): boolean =>
  isServiceError(error) && error.errors.some((problem) => problem.code === code);
