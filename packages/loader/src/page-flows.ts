// Enforces one modal at a time for all copies of this package on the page, whatever the SDK. Our SDK enforces this too,
// for pages that call it without a loader.
import { LoaderError } from './error.js';

/** A flow that occupies the page, or one container in it. */
export interface OpenFlow {
  container?: Element | undefined;
  /** Its SDK can show several inline flows at a time. */
  concurrent?: boolean | undefined;
  /** The flow is closing or has settled, but may still be on the page. */
  isOver?: boolean;
}

const blockerOf = (flows: Set<OpenFlow>, container: Element | undefined) =>
  [...flows].find((other) => !other.concurrent || other.container === container);

/** Whether the flow that occupies this place has ended and is about to leave it. */
export const isLeaving = (flows: Set<OpenFlow>, container: Element | undefined): boolean =>
  !!blockerOf(flows, container)?.isOver;

/** Occupies a place for `flow`. Throws `flow_in_progress` if another flow has it. */
export function occupy(flows: Set<OpenFlow>, flow: OpenFlow): void {
  if (blockerOf(flows, flow.container))
    throw new LoaderError('flow_in_progress', 'Another flow is open here: wait until it closes.');
  flows.add(flow);
}

/** Reserved modals, by loader. */
const modals = new WeakMap<object, Set<OpenFlow>>();

/**
 * Keeps other modals of the loader from preparing, until the signal is aborted or the returned function is called. Throws
 * like {@link occupy}.
 */
export function reserveModal(loader: object, signal: AbortSignal): () => unknown {
  const flows = modals.get(loader) ?? new Set();
  modals.set(loader, flows);
  const modal = {};
  const leave = (): unknown => flows.delete(modal);
  occupy(flows, modal);
  signal.addEventListener('abort', leave);
  return leave;
}
