import { listen, type Line, type Speaker } from './attribution.js';
import { watchFrame, type Sight } from './frames.js';
import { LOOK_MS } from './registry.js';
import { isResult, type FlowEvent, type FlowResult, type ServiceAdapter, type ServiceGlobal } from './sdk.js';

/** How long nothing may be seen of a flow of which nothing else is known, and of one that may yet speak. */
const UNSEEN_MS = 10_000;
/** How long an SDK may take to say how it ended once its frame is gone, or to put another one in its place. */
const LAST_WORD_MS = 500;
const SPEAKERS = 20;
/** No session lives as long: of what was neither seen nor heard until then nothing will be. */
const LONGEST_MS = 2 * 60 * 60_000;

/**
 * The default adapter, for an SDK of which only the contract is known. It believes a promise that the SDK returns and
 * that resolves with a result; else the SDK's events; else it sees that the flow's frame is gone, and not how it ended.
 */
export const contractAdapter =
  (lines: WeakMap<object, Line>): ServiceAdapter =>
  (service, { flow, url, emit, ...options }) => {
    const sdk = service as ServiceGlobal;
    const { container } = options;
    const line: Line = lines.get(sdk) ?? { speakers: [], offs: [] };
    const look = watchFrame(new URL(url).origin, container as HTMLElement);
    let handle: { then?: unknown; close?: () => unknown } = {};
    /** The SDK's promise may still tell how the flow ended. */
    let isPromised = false;
    let hasFailed = false;
    let sight: Sight = 'unseen';
    let since = Date.now();
    let timer: ReturnType<typeof setInterval>;
    let resolve!: (value?: unknown) => void;
    let reject!: (error: unknown) => void;
    let free!: () => void;
    const done = new Promise<unknown>((...settle) => ([resolve, reject] = settle));
    const gone = new Promise<void>((settle) => (free = settle));

    const leave = () => {
      clearInterval(timer);
      me.isGone = true;
      free();
    };
    const me: Speaker = {
      url,
      isGone: false,
      isClosed: false,
      isInFlight: false,
      hasVerdict: false,
      hear(type, detail) {
        since = Date.now();
        if (type === 'closed' || type === 'error') {
          if (isPromised) return;
          if (type === 'error') {
            hasFailed = true;
            return reject(detail);
          }
          // Some say that they closed before they say how it ended.
          return void setTimeout(() => {
            resolve(detail);
            leave();
          });
        }
        emit({ type, ...(me.id && { sessionId: me.id }), detail } as FlowEvent);
        // An inline flow still shows its receipt, for as long as it likes.
        if (container && me.hasVerdict && !isPromised) leave();
      },
    };
    const onValue = (value: unknown) => {
      // That it resolved may say no more than that something was opened.
      const isOver = isResult(value);
      isPromised = false;
      since = Date.now();
      me.hasVerdict ||= isOver;
      me.isClosed ||= isOver;
      if (!me.isClosed) return;
      resolve(isOver ? value : undefined);
      leave();
    };
    const onError = (error: unknown) => {
      me.isClosed = me.hasVerdict = true;
      reject(error);
      leave();
    };

    const watch = () => {
      const seen = look();
      if (seen !== sight) since = Date.now();
      sight = seen;
      const maySpeak = isPromised ? !me.isClosed : sdk.on && !me.hasVerdict;
      const patience: Record<Sight, number> = {
        unseen: hasFailed ? LAST_WORD_MS : maySpeak ? LONGEST_MS : UNSEEN_MS,
        there: Infinity,
        hidden: maySpeak ? UNSEEN_MS : LAST_WORD_MS,
        gone: LAST_WORD_MS,
      };
      if (Date.now() - since < patience[seen]) return;
      if (seen === 'unseen' && !hasFailed) emit({ type: 'unobservable' });
      resolve();
      leave();
    };

    try {
      lines.set(sdk, line);
      // Who spoke long ago speaks no more.
      line.speakers = [...line.speakers.slice(-SPEAKERS), me];
      listen(sdk, line);
      const args = [url, ...(Object.keys(options)[0] ? [options] : [])] as const;
      handle = Object(flow === 'payment' ? sdk.completePayment(...args) : sdk.startFlow(...args));
      isPromised = !!handle.then;
      sight = look(true);
      if (!me.isGone) timer = setInterval(watch, LOOK_MS);
      if (isPromised) Promise.resolve(handle).then(onValue, onError);
    } catch (error) {
      onError(error);
    }

    return {
      done: done as Promise<FlowResult>,
      gone,
      async close() {
        await handle.close?.();
        // Of what was never seen there is nothing to wait for, unless the SDK says when it has closed.
        if (look() === 'unseen' && (isPromised || !sdk.on)) leave();
      },
      // Results of a promise per call cannot be taken for one another's.
      concurrent: !!(handle.then && handle.close),
    };
  };
