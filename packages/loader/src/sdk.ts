// The interface between this package and an operator's SDK.
import type { Environment } from './environment.js';
import type { LoaderErrorCode } from './error.js';

/**
 * How a flow ended, as far as the page can tell. Only your backend knows whether a payment succeeded.
 *
 * @example
 * const result = await service.completePayment(sessionUrl);
 * if (result.status === 'completed' || result.status === 'unknown') await askBackendWhatHappened();
 */
export type FlowResult =
  /** The payer finished. `next`: the flow that the payer chose on the receipt (`canOpen`). `detail` comes from the SDK; ours is `{ Status, ClientReference?, CustomMeta?, Charges }`. */
  | { status: 'completed'; sessionId?: string; detail: unknown; next?: NextFlow }
  /** Closed, with no payment in flight. `renew`: the payment failed, and the payer asked for a new session. */
  | { status: 'canceled'; by: 'payer' | 'merchant'; renew?: true }
  /** The session expired: create a new one. `renew`: the payer asked for a new one. */
  | { status: 'expired'; renew?: true }
  /** Closed before the outcome was known: ask your backend. */
  | { status: 'unknown' };

/** The `detail` of each event of a flow. */
export interface FlowEventDetails {
  /** Reported before the SDK is called. */
  opened: undefined;
  /**
   * The session's page is shown. Its form may still be waiting for its session. After `processing`: nothing is in flight,
   * for example after a decline.
   */
  ready: undefined;
  /** A payment, or a change to the account, is in flight. */
  processing: undefined;
  /** What the SDK reports about the payment or the change. */
  completed: unknown;
  expired: undefined;
  error: { readonly code: LoaderErrorCode };
  closed: undefined;
  /** The SDK can't report how this flow ends. */
  unobservable: undefined;
}

/**
 * An event of an open flow: `opened` → `ready` → `processing` → `completed` | `expired` | `error` → `closed`.
 * {@link FlowEventDetails} has the type of each `detail`. Never contains a session's URL or secret.
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
 * Appearance of a flow. An operator's SDK may ignore it.
 *
 * @example
 * await service.completePayment(session, { appearance: { colorScheme: 'dark', accent: '#0a7d55' } });
 */
export interface Appearance {
  /** `auto`, the default: as light or dark as the text of the container or page. */
  colorScheme?: 'light' | 'dark' | 'auto' | undefined;
  /** `#rrggbb`. The service adjusts a color that would not be readable. */
  accent?: string | undefined;
  /** Replaces `accent` in the dark scheme. */
  accentDark?: string | undefined;
  /** Corner radius, 0 to 24 px. */
  radius?: number | undefined;
  font?: 'system' | 'serif' | 'rounded' | undefined;
  /** Background of the frame: `#rrggbb`. In a container it is transparent by default. */
  background?: string | undefined;
  /** `#rrggbb`, adjusted until it is readable on the background, unless that is transparent. */
  text?: string | undefined;
  /** Color of borders and lines: `#rrggbb`. */
  border?: string | undefined;
  /** Names of fonts that payers have installed, such as `Inter, sans-serif`. Replaces `font`. */
  fontFamily?: string | undefined;
  /** `false` hides logo and name in a container, if the page around it names the payee. */
  showHeader?: boolean | undefined;
  /** Shown while a modal opens. */
  brand?: Brand | undefined;
}

/**
 * Name and logo of the payee in a modal's first frame, until the operator's page has loaded and shows the business
 * unit's own.
 *
 * @example
 * const brand: Brand = { name: 'Harborlight Water', logoUrl: '/logo.svg' };
 */
export interface Brand {
  /** Omit it if the logo contains the name. */
  name?: string | undefined;
  /** Loaded by your page, so its Content-Security-Policy applies. */
  logoUrl?: string | undefined;
}

/** Language and appearance, for all flows of a loader or for one flow. */
export interface Presentation {
  /** BCP 47, such as `es` or `zh-Hant`. Default: the payer's browser. */
  locale?: string;
  /** A flow's `appearance` replaces the loader's as a whole. */
  appearance?: Appearance;
}

/**
 * {@link Presentation} as options. `undefined` means the default.
 *
 * @example
 * const options: PresentationOptions = { locale: document.documentElement.lang || undefined };
 */
export type PresentationOptions = { [Name in keyof Presentation]: Presentation[Name] | undefined };

/** The seven flows of the service. */
export type Flow =
  | 'payment'
  | 'autopay'
  | 'wallet'
  | 'paperless'
  | 'schedule-payment'
  | 'scheduled-payments'
  | 'notifications';

/** The flows that a receipt can offer next. */
export type NextFlow = Extract<Flow, 'autopay' | 'paperless'>;

/** Second argument of an SDK's methods. Contains only options that the page has set. */
export interface OpenOptions extends Presentation {
  container?: Element;
  /** See {@link FlowOptions.canRenew}. */
  canRenew?: boolean;
  /** See {@link FlowOptions.canOpen}. */
  canOpen?: readonly NextFlow[];
}

/**
 * The operator's global (`window.Service`, R-5), as far as this package uses it.
 *
 * @example
 * const sdk = (window as { Service?: ServiceGlobal }).Service;
 * console.log(sdk?.environment, sdk?.version);
 */
export interface ServiceGlobal {
  /** The environment that the script was served from. An SDK may omit it; ours does not. */
  readonly environment?: Environment;
  readonly version?: string;
  /**
   * `1` declares that `completePayment` and `startFlow` return a promise of the {@link FlowResult} that has a `close()`
   * method and settles when a modal has left the page or an inline flow has its verdict, whatever happens to the frame,
   * and that events contain the session's id. Our SDK declares it. Without it, the loader has to guess how a flow ended.
   */
  readonly protocol?: 1;
  completePayment(sessionUrl: string, options?: OpenOptions): unknown;
  startFlow(sessionUrl: string, options?: OpenOptions): unknown;
  /** Prepares to open a flow soon, with this language and appearance. May be called repeatedly. */
  warm?(options?: Presentation): Promise<void>;
  on?(type: string, handler: (event: FlowEvent) => void): () => void;
}

/**
 * Opens a flow in an operator's SDK that differs from ours: calls it, forwards its events to `call.emit`, and
 * returns a promise of the result. `close` asks the SDK to close. `concurrent` allows several inline flows at a time. The
 * loader checks the environment before it calls an adapter, and removes the session's URL and secret from everything that
 * the adapter reports.
 *
 * @example
 * // An SDK that takes callbacks:
 * const adapter: ServiceAdapter = (service, { url, emit }) => ({
 *   done: new Promise((resolve, reject) =>
 *     (service as CallbackSdk).open(url, {
 *       onReady: () => emit({ type: 'ready' }),
 *       onPaid: (receipt) => emit({ type: 'completed', detail: receipt }), // the result, which is final
 *       onClose: () => resolve({ status: 'unknown' }), // no result: ask the backend
 *       onError: reject,
 *     }),
 *   ),
 * });
 */
export type ServiceAdapter = (
  service: unknown,
  call: OpenOptions & { flow: 'payment' | 'other'; url: string; emit: (event: FlowEvent) => void },
) => AdapterHandle;

/** A flow that an adapter opened. */
export interface AdapterHandle {
  /** The result. */
  done: Promise<FlowResult>;
  /** Settles when the page is free for the next flow. Default: when `done` settles. */
  gone?: Promise<unknown>;
  close?(): Promise<void>;
  concurrent?: boolean;
}
