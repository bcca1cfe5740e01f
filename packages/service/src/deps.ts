import type { ServiceConfig } from './platform/config/config.js';
import type { ServiceEnvironment } from './shared/environment.js';
import type { MovableClock } from './platform/clock.js';
import type { PaymentProcessor } from './processor/rules/port.js';
import type { WaitingRequests } from './processor/waiting.js';
import type { DeliveryAttempt } from './webhooks/rules.js';
import type { RequestWatch } from './control/inspector/requests.js';
import type { Store } from './core/store.js';
import type { Faults } from './platform/faults.js';
import type { TestLedger } from './processor/rules/test-ledger.js';
import type { Log } from './platform/log/log.js';
import type { Charging } from './payments/charging.js';
import type { Refunding } from './refunds/refunding.js';
import type { Metrics } from './platform/metrics.js';
import type { RestoreMarker } from './jobs/restore-marker.js';
import type { SessionSecrets } from './platform/keys/session-keys.js';

/** The app's dependencies. Nothing else reads the environment, the clock or random numbers. */
export interface Deps {
  readonly env: ServiceEnvironment;
  /** Base of session URLs, without a trailing slash. */
  readonly publicUrl: string;
  /** The current config. SIGHUP replaces it, so don't cache its properties. */
  readonly config: ServiceConfig;
  readonly store: Store;
  /** The store without the time limit of a request, for work that continues after its response. Default: `store`. */
  readonly background?: Store;
  readonly clock: MovableClock;
  /** A new id that sorts by time and cannot be guessed, such as `stg_…`. */
  readonly newId: (prefix: string) => string;
  /** The current session keys, replaced like the config. */
  readonly secrets: SessionSecrets;
  /** Null if there is no processor. Only payments are unavailable then. */
  readonly processor: PaymentProcessor | null;
  /** Why the service is running but not ready, such as a missing processor in production. */
  readonly unready?: string;
  readonly waiting: WaitingRequests;
  readonly charging: Charging;
  readonly refunding: Refunding;
  readonly testLedger?: TestLedger;
  readonly testMode: boolean;
  readonly log: Log;
  /** Faults injected through the control API, if it is running. */
  readonly faults?: Faults;
  readonly metrics?: Metrics;
  readonly pool?: () => { readonly used: number; readonly size: number };
  readonly watch?: RequestWatch;
  /** Records webhook delivery attempts for the inspector, if it is running. */
  readonly delivered?: (delivered: DeliveryAttempt) => void;
  /** Detects a restored backup, if there is a marker file. */
  readonly marker?: RestoreMarker;
  /** True once the service stops accepting requests. */
  readonly draining?: () => boolean;
}
