// What is said between this package and an operator's SDK.
import { attempt } from './attempt.js';
import type { Environment } from './environment.js';
import type { LoaderErrorCode } from './error.js';

/**
 * How a flow ended, as far as the page can tell. The backend confirms: money is never decided here.
 *
 * @example
 * const result = await service.completePayment(sessionUrl);
 * if (result.status === 'completed' || result.status === 'unknown') await askBackendWhatHappened();
 */
export type FlowResult =
  /** The page's verdict. `detail` is the SDK's own account of it; ours is `{ Status, ClientReference?, CustomMeta?, Charges }`. */
  | { status: 'completed'; sessionId?: string; detail: unknown }
  /** Closed, and the page said that no payment is in flight. */
  | { status: 'canceled'; by: 'payer' | 'merchant' }
  /** The session's lifetime is over: create a new one. `renew`: the payer has asked for it already. */
  | { status: 'expired'; renew?: true }
  /** Closed without a verdict: ask the backend. */
  | { status: 'unknown' };

/** The `detail` that each event of a flow carries. */
export interface FlowEventDetails {
  /** The SDK is about to be called. */
  opened: undefined;
  /** The form can be used; after `processing`: the payment was declined. */
  ready: undefined;
  /** A payment is in flight. */
  processing: undefined;
  /** The SDK's own account of what was done. */
  completed: unknown;
  expired: undefined;
  error: { readonly code: LoaderErrorCode };
  closed: undefined;
  /** The SDK gives no way to see how this ends. */
  unobservable: undefined;
}

/**
 * What happens while a flow is open: `opened` → `ready` → `processing` → `completed` | `expired` | `error` →
 * `closed`. `detail` is of the type that {@link FlowEventDetails} says. Never holds a session's URL or secret.
 *
 * @example
 * const onEvent = (event: FlowEvent) => {
 *   if (event.type === 'error') metrics.count(event.detail.code);
 * };
 */
export type FlowEvent = {
  [Type in keyof FlowEventDetails]: {
    type: Type;
    sessionId?: string;
  } & (undefined extends FlowEventDetails[Type]
    ? { detail?: FlowEventDetails[Type] }
    : { detail: FlowEventDetails[Type] });
}[keyof FlowEventDetails];

/**
 * How a flow looks. An operator's SDK may know nothing of it.
 *
 * @example
 * await service.completePayment(session, { appearance: { colorScheme: 'dark', accent: '#0a7d55' } });
 */
export interface Appearance {
  /** `auto`, the default: what the container's or the page's used `color-scheme` is. */
  colorScheme?: 'light' | 'dark' | 'auto' | undefined;
  /** `#rrggbb`. One that would not be readable is moved until it is. */
  accent?: string | undefined;
  /** Of corners, 0 to 24 px. */
  radius?: number | undefined;
  font?: 'system' | 'serif' | 'rounded' | undefined;
}

/** How a flow speaks and looks: on a loader for all its flows, on a flow for that one. */
export interface Presentation {
  /** BCP 47, such as `es` or `zh-Hant`; without it the payer's browser decides. */
  locale?: string;
  /** A flow's takes the place of the loader's as a whole. */
  appearance?: Appearance;
}

/**
 * The same, as a page gives it: what it did not choose may be there as `undefined`.
 *
 * @example
 * const wishes: Wishes = { locale: document.documentElement.lang || undefined };
 */
export type Wishes = { [Name in keyof Presentation]: Presentation[Name] | undefined };

/** The seven flows of the service, spelt as on every wire; a test keeps them the contract's. */
export type Flow =
  | 'payment'
  | 'autopay'
  | 'wallet'
  | 'paperless'
  | 'schedule-payment'
  | 'scheduled-payments'
  | 'notifications';

/** What an SDK's method gets beside the session's URL: what was given, and nothing where nothing was. */
export interface OpenOptions extends Presentation {
  container?: Element;
  /** See {@link FlowOptions.canRenew}. */
  canRenew?: boolean;
  /** See {@link FlowOptions.expectedFlow}. */
  expectedFlow?: Flow;
}

/**
 * The operator's global (`window.Service`, R-5) as far as this package knows it.
 *
 * @example
 * const sdk = (window as { Service?: ServiceGlobal }).Service;
 * console.log(sdk?.environment, sdk?.version);
 */
export interface ServiceGlobal {
  /** The environment that the script was served from, where it says so; ours does. */
  readonly environment?: Environment;
  readonly version?: string;
  completePayment(sessionUrl: string, options?: OpenOptions): unknown;
  startFlow(sessionUrl: string, options?: OpenOptions): unknown;
  /** Gets ready to open a flow soon, one that speaks and looks like this, however often it is asked. */
  warm?(options?: Presentation): Promise<void>;
  on?(type: string, handler: (event: FlowEvent) => void): () => void;
}

/**
 * Opens one flow in an operator's SDK whose shapes differ from ours: calls it, forwards what it says to
 * `call.emit`, and answers with a promise of the result. `close` asks the SDK to close; `concurrent` says that
 * several inline flows can be open at once. The page is checked for its environment before an adapter is called, and
 * what the adapter says is cleared of the session's URL and secret.
 *
 * @example
 * // An SDK that takes callbacks:
 * const adapter: ServiceAdapter = (service, { url, emit }) => ({
 *   done: new Promise((resolve, reject) =>
 *     (service as CallbackSdk).open(url, {
 *       onReady: () => emit({ type: 'ready' }),
 *       onPaid: (receipt) => emit({ type: 'completed', detail: receipt }), // the verdict: it stays
 *       onClose: () => resolve({ status: 'unknown' }), // without a verdict nobody knows
 *       onError: reject,
 *     }),
 *   ),
 * });
 */
export type ServiceAdapter = (
  service: unknown,
  call: OpenOptions & { flow: 'payment' | 'other'; url: string; emit: (event: FlowEvent) => void },
) => AdapterHandle;

/** A flow that an adapter has opened. */
export interface AdapterHandle {
  /** How it ended. */
  done: Promise<FlowResult>;
  /** When the page is free for the next flow; default: when `done` settles. */
  gone?: Promise<unknown>;
  close?(): Promise<void>;
  concurrent?: boolean;
}

interface Meaning {
  /** An SDK says it itself. */
  isSaid?: boolean;
  /** It says how the flow ends. */
  isVerdict?: boolean;
  /** Whether money may be moving from then on; undefined: as before. */
  isInFlight?: boolean;
}

/** What each event means for its flow. */
export const MEANING: Record<FlowEvent['type'], Meaning> = {
  opened: {},
  ready: { isSaid: true, isInFlight: false },
  processing: { isSaid: true, isInFlight: true },
  completed: { isSaid: true, isVerdict: true },
  expired: { isSaid: true, isVerdict: true },
  error: { isSaid: true, isVerdict: true },
  closed: { isSaid: true },
  unobservable: {},
};

const STATUS: Record<FlowResult['status'], true> = {
  completed: true,
  canceled: true,
  expired: true,
  unknown: true,
};

/** Whether an SDK answered with a result as we know them. */
export const isResult = (value: unknown): value is FlowResult =>
  attempt(() => {
    const { status } = Object(value);
    return typeof status === 'string' && Object.hasOwn(STATUS, status);
  }) ?? false;
