import type { ServiceConfig } from './platform/config/config.js';
import type { ServiceEnvironment } from './shared/environment.js';
import type { MovableClock } from './core/clock.js';
import type { PaymentProcessor } from './processor/rules/port.js';
import type { Delivered, Origin } from './webhooks/rules.js';
import type { WatchRequest } from './control/inspector/requests.js';
import type { Store } from './core/store.js';
import type { Faults } from './platform/faults.js';
import type { Log } from './platform/log/log.js';
import type { Charging } from './payments/charging.js';
import type { Refunding } from './refunds/refunding.js';
import type { Metrics } from './platform/metrics.js';
import type { SessionSecrets } from './platform/keys/session-keys.js';

/** Everything that an app acts through: no part of it reads the environment, the clock or chance by itself. */
export interface Deps {
  readonly env: ServiceEnvironment;
  /** Base of session URLs, without a slash at its end. */
  readonly publicUrl: string;
  /** The one in force, which SIGHUP replaces: what is taken out of it is no longer its own. */
  readonly config: ServiceConfig;
  readonly store: Store;
  readonly clock: MovableClock;
  /** A new id that sorts by time and cannot be guessed, such as `stg_…`. */
  readonly newId: (prefix: string) => string;
  /** In force as the config is. */
  readonly secrets: SessionSecrets;
  /** Null: no payment can be taken, everything else works. */
  readonly processor: PaymentProcessor | null;
  /** Asks the processor and records what it says; made of the parts above by `createCharging`. */
  readonly charging: Charging;
  /** Gives money back, and records what the processor says; made by `createRefunding`. */
  readonly refunding: Refunding;
  /** Test cards are accepted. */
  readonly testMode: boolean;
  readonly log: Log;
  /** Of the one request that these are for. */
  readonly origin?: Origin;
  /** What the control API asked to go wrong; absent where there is none. */
  readonly faults?: Faults;
  readonly metrics?: Metrics;
  /** Connections to the database that are in use, of how many; absent where there is no pool. */
  readonly pool?: () => { readonly used: number; readonly size: number };
  /** Keeps what each request does, for the inspector; absent where there is none. */
  readonly watch?: WatchRequest;
  /** Told what came of each attempt to deliver a webhook, for the inspector; absent where there is none. */
  readonly delivered?: (delivered: Delivered) => void;
  /** True once the service takes no more requests. */
  readonly draining?: () => boolean;
}
