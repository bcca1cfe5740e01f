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
import { urlOf } from '@embedded-sessions/loader/internal';
import type { FlowSettings } from './controller.js';
import type { EmbeddedPaymentError } from './error.js';
import { PREPARING, type PaymentResult, type SessionSource } from './flow-state.js';
import { createInlinePlace } from './inline.js';
import { useController } from './use-flow.js';

/** Props of {@link EmbeddedFlow}. */
export interface EmbeddedFlowProps extends FlowSettings {
  /** Which of the seven flows the session was created for. */
  flow: Flow;
  /**
   * The session to show, or a function that fetches it. A new URL shows the new session; a new function has no effect.
   * With `null`, the region is busy and requests nothing.
   */
  session: SessionSource | null;
  /** Identifies the session if `session` is a function. A change starts a new flow. */
  sessionKey?: string | undefined;
  /** Default: the provider's. */
  loader?: Loader | undefined;
  /** Shown until the frame has loaded. Default: a line of text. */
  loading?: ReactNode;
  /** Shown instead of the form after a failure. Default: a line of text and a button to try again. */
  renderError?: ((failure: { error: EmbeddedPaymentError; retry: () => void }) => ReactNode) | undefined;
  /** Called once per attempt when the frame has loaded. The form in it may appear later, or the flow may still fail. */
  onReady?: (() => void) | undefined;
  /**
   * Called when the payer finishes: a payment was accepted (a bank payment may still be pending), or Done was pressed in
   * another flow. Confirm payments on your backend. Called again when a finished session is shown again.
   */
  onComplete?: ((result: Extract<FlowResult, { status: 'completed' }>) => void) | undefined;
  /** The payer left the flow. */
  onCancel?: ((result: Extract<FlowResult, { status: 'canceled' }>) => void) | undefined;
  /** The session expired. Change `sessionKey` to show a new one. */
  onExpire?: (() => void) | undefined;
  onError?: ((error: EmbeddedPaymentError) => void) | undefined;
  /** Called with every result, including `unknown`, which has no other callback. */
  onSettled?: ((result: PaymentResult) => void) | undefined;
  className?: string | undefined;
  /** `minHeight` reserves space for the form, also on the server. Default: about the form's height, until its frame has loaded. */
  style?: CSSProperties | undefined;
  /** Name of the region for assistive technology. Default: the flow's name, in English. */
  'aria-label'?: string | undefined;
}

/**
 * Shows any of the seven flows inline. Also renders on the server, at its reserved height. If the component unmounts
 * before it has a result, it reports `unknown` to the provider's `onEvent`.
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
  // Another flow or session is a new instance. All other changes update this instance.
  const shown = typeof session === 'function' || urlOf(session);
  return <InlineFlow key={`${flow} ${sessionKey} ${shown}`} {...props} />;
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

/** Reserved until the form reports its height, px: that of a bill's payment. The SDK's frame has the same. */
const INLINE_HEIGHT = 757;

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
  // A hidden <Activity> has already cleaned up all other effects, so only this cleanup runs on removal.
  useInsertionEffect(() => place.leave, [place]);

  return (
    <div
      role="region"
      aria-label={props['aria-label'] ?? flow.replace('-', ' ')}
      aria-busy={busy}
      className={className}
      style={{ ...style, minHeight: style?.minHeight ?? (busy ? INLINE_HEIGHT : undefined) }}
    >
      {/* A translator may have replaced a text, which React then fails to remove. */}
      {busy && <div>{loading}</div>}
      {error && <div>{renderError({ error, retry: place.restart })}</div>}
      <div ref={host} />
    </div>
  );
}

function announce(props: EmbeddedFlowProps, result: PaymentResult): void {
  const { status } = result;
  try {
    if (status === 'completed') props.onComplete?.(result);
    if (status === 'canceled') props.onCancel?.(result);
    if (status === 'expired') props.onExpire?.();
    if (status === 'failed') props.onError?.(result.error);
  } finally {
    props.onSettled?.(result);
  }
}
