// Interprets the events of an SDK that declares no protocol.
import { attempt } from './attempt.js';
import type { FlowEvent, FlowResult } from './sdk.js';

interface Meaning {
  /** SDKs report this event. The loader itself emits the others. */
  isReported?: boolean;
  /** Decides how the flow ends. */
  isVerdict?: boolean;
  /** Whether a payment may be in flight after the event. Undefined if unchanged. */
  isInFlight?: boolean;
}

export const MEANING: Record<FlowEvent['type'], Meaning> = {
  opened: {},
  ready: { isReported: true, isInFlight: false },
  processing: { isReported: true, isInFlight: true },
  completed: { isReported: true, isVerdict: true },
  expired: { isReported: true, isVerdict: true },
  error: { isReported: true, isVerdict: true },
  closed: { isReported: true },
  unobservable: {},
};

const STATUS: Record<FlowResult['status'], true> = {
  completed: true,
  canceled: true,
  expired: true,
  unknown: true,
};

/** Whether `value` is a {@link FlowResult}. */
export const isResult = (value: unknown): value is FlowResult =>
  attempt(() => {
    const { status } = Object(value);
    return typeof status === 'string' && Object.hasOwn(STATUS, status);
  }) ?? false;
