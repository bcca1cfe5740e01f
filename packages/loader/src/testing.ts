// For merchants' tests: a loader without script, frame or network. Gives tests control of the flows that it opens.
import { deferred } from './deferred.js';
import { ownProperties, parse, type Environment, type SessionRef } from './environment.js';
import { guarded, invalid, mismatch, throwIfAborted, type LoaderError } from './error.js';
import { embed } from './flow.js';
import type { Loader } from './load.js';
import type { AdapterHandle, FlowResult, NextFlow, ServiceAdapter } from './sdk.js';
import { UntrustedFlow } from './untrusted.js';

export type { Environment } from './environment.js';
export type { Loader } from './load.js';

/** A flow that the code under test has opened. The test plays the payer. */
export interface FakeFlow {
  /** The session's URL. */
  readonly url: string;
  readonly kind: 'payment' | 'other';
  /** The element that it was opened in, if it is inline. */
  readonly container: Element | undefined;
  /** The payer sends the payment. Until its verdict, the payment is never reported as unpaid. */
  processing(): void;
  /** The payment is declined, and the form is shown again. */
  decline(): void;
  /**
   * The payer pays or finishes. The verdict is reported immediately, and the modal closes a moment later. With
   * `stays: true` it stays open with its receipt until `close()`. An inline flow has settled by then.
   */
  complete(detail?: unknown, options?: { stays?: boolean }): void;
  /** The payer closes the flow: it settles with its verdict, or like `cancel` without one. */
  close(): void;
  /** The payer closes the modal while no payment is in flight. */
  cancel(): void;
  /** The payer finishes and chooses a flow that the modal was opened with as `canOpen`. */
  next(flow: NextFlow): void;
  /** The session expires. */
  expire(): void;
  /** The session expires and the payer starts again, as a modal opened with `canRenew` offers. */
  renew(): void;
  /** The payment fails permanently and the payer asks for a new session, as a modal opened with `canRenew` offers. */
  payAgain(): void;
  /** The flow closes without a verdict, as after a lost connection. The result is `unknown`. */
  vanish(): void;
  /** The SDK fails: rejects with this `LoaderError`, or with `flow_failed` for any other error. While processing: `unknown`. */
  fail(error: unknown): void;
}

/** See {@link createFakeLoader}. */
export interface FakeLoader {
  readonly loader: Loader;
  /** All flows that were opened, oldest first. */
  readonly flows: readonly FakeFlow[];
}

/**
 * Creates a loader for tests that opens nothing. Its flows settle, abort and are refused like real ones
 * (`flow_in_progress`, and `environment_mismatch` for a session that names another environment).
 *
 * @param options `environment`: default `staging`. `loadError`: every `load()` rejects with it.
 * @example
 * const { loader, flows } = createFakeLoader({ environment: 'staging' });
 * const paid = checkout(loader); // the code under test
 * await vi.waitUntil(() => flows[0]);
 * flows[0].complete({ Status: 'Succeeded' });
 * expect(await paid).toBe('Thank you');
 */
export function createFakeLoader(
  options: { environment?: Environment; loadError?: LoaderError } = {},
): FakeLoader {
  const { environment = 'staging', loadError } = options;
  const flows: FakeFlow[] = [];
  let state: Loader['state'] = 'idle';

  const service = embed({
    environment,
    sdk: {},
    adapter: (sdk, call) =>
      new UntrustedFlow(call).open(sdk, (_sdk, options) => {
        const { flow, handle } = openFake(options);
        flows.push(flow);
        return handle;
      }),
    flows: new Set(),
    urlOf: (session) => sessionUrlOf(session, environment),
  });

  return {
    flows,
    loader: {
      environment,
      get state() {
        return state;
      },
      load: (input) =>
        guarded(async () => {
          throwIfAborted(input?.signal);
          state = loadError ? 'failed' : 'ready';
          if (loadError) throw loadError;
          return service;
        }),
      preload: () => {},
      warm: async () => {},
    },
  };
}

function sessionUrlOf(ref: SessionRef, environment: Environment): string {
  const session = typeof ref === 'string' ? { sessionUrl: ref } : ownProperties(ref);
  if (session.environment && session.environment !== environment)
    throw mismatch(environment, session.environment, 'the session');

  const url = parse(session.sessionUrl);
  if (!url) throw invalid('The session URL must be an absolute URL.');
  return url.href;
}

function openFake({ flow, url, container, emit }: Parameters<ServiceAdapter>[1]): {
  flow: FakeFlow;
  handle: AdapterHandle;
} {
  const { promise: done, resolve: settle, reject: fail } = deferred<FlowResult>();
  // After a verdict, the flow settles with the verdict.
  const cancel = () => settle({ status: 'canceled', by: 'payer' });

  queueMicrotask(() => emit({ type: 'ready' }));
  return {
    flow: {
      url,
      kind: flow,
      container,
      processing: () => emit({ type: 'processing' }),
      decline: () => emit({ type: 'ready' }),
      complete(detail, { stays = false } = {}) {
        emit({ type: 'completed', detail });
        if (!stays) void Promise.resolve().then(cancel);
      },
      close: cancel,
      cancel,
      expire: () => settle({ status: 'expired' }),
      next: (next) => settle({ status: 'completed', detail: undefined, next }),
      renew: () => settle({ status: 'expired', renew: true }),
      payAgain: () => settle({ status: 'canceled', by: 'payer', renew: true }),
      vanish: () => settle({ status: 'unknown' }),
      fail,
    },
    handle: { done, concurrent: true, close: async () => cancel() },
  };
}
