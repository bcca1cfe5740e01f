import {
  useEffect,
  useInsertionEffect,
  useRef,
  useState,
  type CSSProperties,
  type ReactElement,
  type ReactNode,
} from 'react';
import type { Flow, FlowResult, Loader } from '@embedded-sessions/loader';
import type { FlowSettings } from './controller.js';
import type { EmbeddedPaymentError } from './error.js';
import { PREPARING, urlOf, type PaymentResult, type SessionSource } from './flow-state.js';
import { createInlinePlace } from './inline.js';
import { useController } from './use-flow.js';

/** Props of {@link EmbeddedFlow}. */
export interface EmbeddedFlowProps extends FlowSettings {
  /** Which of the seven flows the session was created for. */
  flow: Flow;
  /**
   * The session to show, or how to get one. A new function restarts nothing; a new URL shows the new session. `null` means
   * not yet: the region is busy, and nothing is asked for.
   */
  session: SessionSource | null;
  /** The identity of what is shown, where `session` is a function: changed, the flow starts anew. */
  sessionKey?: string | undefined;
  /** Instead of the provider's. */
  loader?: Loader | undefined;
  /** Shown until the form is there. Default: a line of text. */
  loading?: ReactNode;
  /** Shown instead of the form when it failed. Default: a line of text and a button to try again. */
  renderError?: ((failure: { error: EmbeddedPaymentError; retry: () => void }) => ReactNode) | undefined;
  /** The payer can see the form: once per attempt. */
  onReady?: (() => void) | undefined;
  /** The page's verdict; let the backend confirm it. Announced again when a finished session is shown again. */
  onComplete?: ((result: Extract<FlowResult, { status: 'completed' }>) => void) | undefined;
  /** The payer left the flow. */
  onCancel?: ((result: Extract<FlowResult, { status: 'canceled' }>) => void) | undefined;
  /** The session's lifetime is over: change `sessionKey` to show a new one. */
  onExpire?: (() => void) | undefined;
  onError?: ((error: EmbeddedPaymentError) => void) | undefined;
  /** Every result, `unknown` included, which has no callback of its own. */
  onSettled?: ((result: PaymentResult) => void) | undefined;
  className?: string | undefined;
  /** `minHeight` is the height reserved for the form, on the server too. Default 480 (px). */
  style?: CSSProperties | undefined;
  /** Name of the region for assistive technology. Default: that of the flow, in English. */
  'aria-label'?: string | undefined;
}

/**
 * Any of the seven flows inline, in the page. Takes up its room on the server already, as a labelled region.
 * Unmounted before its verdict, it reports `unknown` to the provider's `onEvent`: nobody saw how it ended.
 *
 * @example
 * <EmbeddedFlow
 *   flow="payment"
 *   session={({ signal }) => createPaymentSession(bill.id, { signal })}
 *   sessionKey={bill.id}
 *   onComplete={() => navigate('/thanks')}
 *   onExpire={() => navigate('/bill')}
 * />
 */
export function EmbeddedFlow(props: EmbeddedFlowProps): ReactElement {
  const { flow, session, sessionKey } = props;
  // Another flow or session is another instance; anything else is an update of this one.
  const shown = sessionKey ?? (typeof session === 'function' || urlOf(session));
  return <InlineFlow key={`${flow} ${shown}`} {...props} />;
}

const LOADING = <p role="status">Loading…</p>;

interface Failure {
  error: EmbeddedPaymentError;
  retry: () => void;
}

function explain({ retry }: Failure): ReactNode {
  return (
    <p role="alert">
      {'This form could not be opened. '}
      <button type="button" onClick={retry}>
        Try again
      </button>
    </p>
  );
}

function InlineFlow(props: EmbeddedFlowProps): ReactElement {
  const { flow, session, loading = LOADING, renderError = explain, className, style } = props;
  const [controller, { status, error }] = useController(
    flow,
    { ...props, onSettled: (result) => announce(props, result) },
    PREPARING,
  );
  const [place] = useState(() => createInlinePlace(controller));
  const busy = status === 'preparing';
  const host = useRef<HTMLDivElement>(null);
  const isWaiting = session === null;
  useEffect(() => {
    if (!isWaiting) place.show(host.current!);
    return place.leave;
  }, [place, isWaiting]);
  // Under a hidden <Activity> effects are gone already; only this one is cleaned up when it is removed.
  useInsertionEffect(() => place.leave, [place]);

  return (
    <div
      role="region"
      aria-label={props['aria-label'] ?? flow.replace('-', ' ')}
      aria-busy={busy}
      className={className}
      style={{ ...style, minHeight: style?.minHeight ?? 480 }}
    >
      {busy && loading}
      {error && renderError({ error, retry: place.restart })}
      <div ref={host} />
    </div>
  );
}

type Announce = {
  readonly [S in PaymentResult['status']]?: (
    props: EmbeddedFlowProps,
    result: Extract<PaymentResult, { status: S }>,
  ) => void;
};

const ANNOUNCE: Announce = {
  completed: (props, result) => props.onComplete?.(result),
  canceled: (props, result) => props.onCancel?.(result),
  expired: (props) => props.onExpire?.(),
  failed: (props, { error }) => props.onError?.(error),
};

function announce<S extends PaymentResult['status']>(
  props: EmbeddedFlowProps,
  result: Extract<PaymentResult, { status: S }> & { status: S },
): void {
  try {
    ANNOUNCE[result.status]?.(props, result);
  } finally {
    props.onSettled?.(result);
  }
}
