/** AutoPay: charges every bill of an enrolled account once, on its due date. */
import { createHash } from 'node:crypto';
import { isServiceError, type ServiceClient } from '@embedded-sessions/server';
import {
  accountOf,
  beginAutopay,
  billsForAutopay,
  openAutopay,
  recordCharge,
  type AutopayEntry,
  type Customer,
} from './ledger.js';
import type { Store } from './store.js';
import type { InTurn } from './turns.js';

export interface Autopay {
  /** Charges due bills and retries unanswered charges. Concurrent calls share one run. */
  run(): Promise<void>;
  /** Asks the service for the result of a charge and stores it. Returns false if the service doesn't know the charge. */
  confirm(customerId: string, reference: string): Promise<boolean>;
}

export function createAutopay(deps: {
  client: ServiceClient;
  businessUnit: string;
  store: Store;
  today: () => string;
  log: (line: string) => void;
  inTurn: InTurn;
  /** Closes the open payment sessions of an account and stores the results of the others. */
  closeSessions: (customerId: string, number: string) => Promise<void>;
}): Autopay {
  const { client, businessUnit: BusinessUnitSlug, store, today, log, inTurn, closeSessions } = deps;

  /** Runs in the customer's queue, like checks of payment sessions. */
  const confirm: Autopay['confirm'] = (customerId, reference) =>
    inTurn(reference, async () => {
      let found = false;
      for await (const payment of client.payments.all({ BusinessUnitSlug, ClientReference: reference })) {
        store.update(customerId, (customer) => recordCharge(customer, reference, payment));
        found = true;
      }
      return found;
    });

  /** Safe to repeat: the reference is also the idempotency key, and the amount is stored. */
  const charge = async (customerId: string, number: string, entry: AutopayEntry): Promise<void> => {
    const { reference, amount } = entry;
    try {
      await client.autopay.charge(
        { BusinessUnitSlug, AccountNumber: number, Amount: amount, ClientReference: reference },
        { idempotencyKey: reference },
      );
    } catch (error) {
      const refused = isServiceError(error) && error.errors.some(({ code }) => FINAL.has(code ?? ''));
      if (!refused && !(isServiceError(error) && error.kind === 'referenceConflict')) throw error;
      // The service may have received an earlier request whose answer was lost.
      if (await confirm(customerId, reference)) return;
      if (!refused) throw error;
      log(`AutoPay of ${number} is refused: ${error.message}`);
      store.update(customerId, (customer) => recordCharge(customer, reference, { Status: 'declined' }));
      return;
    }
    await confirm(customerId, reference);
  };

  /** Runs in the customer's queue, so no payment session opens for a bill that is being charged. */
  const begin = (customerId: string, number: string, billId: string): Promise<void> =>
    inTurn(customerId, async () => {
      await closeSessions(customerId, number);
      const reference = referenceOf(customerId, billId);
      store.update(customerId, (customer) =>
        beginAutopay(customer, number, { billId, reference, today: today() }),
      );
    });

  const billCustomer = async ({ id, accounts }: Customer): Promise<void> => {
    for (const { number } of accounts) {
      const account = accountOf(store.get(id) ?? { accounts }, number);
      for (const { bill } of account ? billsForAutopay(account, today()) : [])
        await begin(id, number, bill.id);
    }
    for (const { number, entry } of openAutopay(store.get(id) ?? { accounts }))
      await charge(id, number, entry);
  };

  let running: Promise<void> | undefined;
  const round = async (): Promise<void> => {
    for (const customer of store.all())
      await billCustomer(customer).catch((error: unknown) => {
        log(`AutoPay is tried again: ${error instanceof Error ? error.message : String(error)}`);
      });
  };
  return {
    confirm,
    run: () => (running ??= round().finally(() => (running = undefined))),
  };
}

/** A retry can't succeed, so the customer is asked to pay this bill. */
const FINAL: ReadonlySet<string> = new Set(['not_enrolled', 'account_not_found']);

const referenceOf = (customerId: string, billId: string): string =>
  `HL-AP-${createHash('sha256').update(`${customerId} ${billId}`).digest('hex').slice(0, 16)}`;
