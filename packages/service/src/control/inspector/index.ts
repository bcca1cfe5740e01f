/** Everything of the inspector that a service is started with. */
import { randomBytes } from 'node:crypto';
import type { PaymentProcessor } from '../../domain/processor.js';
import type { Store } from '../../domain/store.js';
import type { FaultList } from '../fault-list.js';
import { createJournal } from './journal.js';
import type { Journal } from './journal.js';
import { watchRequests } from './requests.js';
import type { WatchRequest } from './requests.js';
import { watchFaults, watchProcessor, watchStore } from './watch.js';

export interface Inspection {
  readonly journal: Journal;
  /** Opens the API for the inspector alone. */
  readonly apiKey: string;
  /** Opens the inspector; a part of its address that no request carries. */
  readonly token: string;
  store(store: Store): Store;
  processor(processor: PaymentProcessor): PaymentProcessor;
  faults(faults: FaultList): FaultList;
  readonly request: WatchRequest;
}

export function createInspection(clock: { now(): number }): Inspection {
  const journal = createJournal(clock);
  return {
    journal,
    apiKey: `stg_${randomBytes(32).toString('base64url')}`,
    token: randomBytes(24).toString('base64url'),
    store: (store) => watchStore(store, journal),
    processor: (processor) => watchProcessor(processor, journal),
    faults: (faults) => watchFaults(faults, journal),
    request: watchRequests(journal, clock),
  };
}
