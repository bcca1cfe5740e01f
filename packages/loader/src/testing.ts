// For merchants' tests: a loader with no script, no frame and no network, and the flows that it was asked to open.
import { own, parse, type Environment, type SessionRef } from './environment.js';
import { heed, invalid, mismatch, quiet, type LoaderError } from './error.js';
import { embed } from './flow.js';
import type { Loader } from './load.js';
import type { FlowResult } from './sdk.js';

export type { Environment } from './environment.js';
export type { Loader } from './load.js';

/** A flow that the code under test has opened, for the test to end. */
export interface FakeFlow {
  /** The session's URL. */
  readonly url: string;
  readonly kind: 'payment' | 'other';
  /** Where it was opened inline. */
  readonly container: Element | undefined;
  /** The payer sends the payment: until the verdict nothing may be told as not paid. */
  processing(): void;
  /** The payment is declined, and the form is there again. */
  decline(): void;
  /**
   * The payer pays or finishes: the verdict is announced at once, and the modal closes a moment later. With
   * `stays: true` it stays open with its receipt until `close()`; an inline flow has settled by then.
   */
  complete(detail?: unknown, options?: { stays?: boolean }): void;
  /** The payer closes what is open: settles with the verdict, where there is one, else as `cancel` does. */
  close(): void;
  /** The payer closes the modal; no payment is in flight. */
  cancel(): void;
  /** The session's lifetime ends. */
  expire(): void;
  /** It ends, and the payer asks to start again, as a modal opened with `canRenew` offers. */
  renew(): void;
  /** Closed without a verdict, as by a lost connection: `unknown`, the backend has to be asked. */
  vanish(): void;
  /** The SDK fails: rejects with this `LoaderError`, or with `flow_failed` for any other error. */
  fail(error: unknown): void;
}

/** See {@link createFakeLoader}. */
export interface FakeLoader {
  readonly loader: Loader;
  /** Every flow that was opened, oldest first. */
  readonly flows: readonly FakeFlow[];
}

/**
 * A loader for tests. It settles, latches, aborts and refuses as the real one does (`flow_in_progress`,
 * `environment_mismatch` for a session that names another environment), and opens nothing.
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

  const urlOf = (ref: SessionRef) => {
    const session = typeof ref === 'string' ? { sessionUrl: ref } : own(ref);
    if (session.environment && session.environment !== environment)
      throw mismatch(environment, session.environment, 'the session');
    const url = parse(session.sessionUrl);
    if (!url) throw invalid('The session URL must be an absolute URL.');
    return url.href;
  };

  const service = embed(
    environment,
    {},
    (_service, { flow, url, container, emit }) => {
      let settle!: (result: FlowResult) => void;
      let fail!: (error: unknown) => void;
      const done = new Promise<FlowResult>((resolve, reject) => {
        settle = resolve;
        fail = reject;
      });
      // After a verdict it is the verdict that the flow settles with.
      const cancel = () => settle({ status: 'canceled', by: 'payer' });
      flows.push({
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
        renew: () => settle({ status: 'expired', renew: true }),
        vanish: () => settle({ status: 'unknown' }),
        fail,
      });
      queueMicrotask(() => emit({ type: 'ready' }));
      return { done, concurrent: true, close: async () => cancel() };
    },
    new Set(),
    urlOf,
  );

  return {
    flows,
    loader: {
      environment,
      get state() {
        return state;
      },
      load: (input) =>
        quiet(async () => {
          heed(input?.signal);
          if (loadError) {
            state = 'failed';
            throw loadError;
          }
          state = 'ready';
          return service;
        }),
      preload: () => {},
      warm: async () => {},
    },
  };
}
