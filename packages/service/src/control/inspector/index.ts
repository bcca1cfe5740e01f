/** Creates the parts of the inspector that a service starts with. */
import { randomBytes } from 'node:crypto';
import type { DeliveryAttempt } from '../../webhooks/rules.js';
import type { PaymentProcessor } from '../../processor/rules/port.js';
import type { Store } from '../../core/store.js';
import type { Control } from '../control.js';
import type { FaultList } from '../fault-list.js';
import type { ServiceConfig } from '../../platform/config/config.js';
import { Journal } from './journal.js';
import { Redaction } from './redaction.js';
import { watchRequests, type WatchRequest } from './requests.js';
import { watchControl, watchFaults, watchProcessor, watchStore } from './watch.js';

export interface Inspection {
  readonly journal: Journal;
  /** The inspector's own API key. */
  readonly apiKey: string;
  store(store: Store): Store;
  processor(processor: PaymentProcessor): PaymentProcessor;
  faults(faults: FaultList): FaultList;
  control(control: Control): Control;
  readonly request: WatchRequest;
  readonly delivered: (delivered: DeliveryAttempt) => void;
}

/** @param config in force */
export function createInspection(clock: { now(): number }, config: () => ServiceConfig): Inspection {
  const apiKey = `stg_${randomBytes(32).toString('base64url')}`;
  const journal = new Journal(clock, new Redaction(config, [apiKey]));
  return {
    journal,
    apiKey,
    store: (store) => watchStore(store, journal),
    processor: (processor) => watchProcessor(processor, journal),
    faults: (faults) => watchFaults(faults, journal),
    control: (control) => watchControl(control, journal, clock),
    request: watchRequests(journal, clock),
    delivered: ({ messageId, ...attempt }) => journal.tried({ webhookId: messageId, ...attempt }),
  };
}
