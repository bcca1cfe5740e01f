import { listen, stop, type Line, type Speaker } from './attribution.js';
import { watchFrames, type Sight } from './frames.js';
import { LOOK_MS, type Registry } from './registry.js';
import { isResult, type FlowEvent, type FlowResult, type ServiceAdapter, type ServiceGlobal } from './sdk.js';

/** How long nothing may be seen of a flow of which nothing else is known, and of one that may yet speak. */
const UNSEEN_MS = 10_000;
/** How long an SDK may take to say how it ended once its frame is gone, or to put another one in its place. */
const LAST_WORD_MS = 500;
/** No session lives as long: of what was neither seen nor heard until then nothing will be. */
const LONGEST_MS = 2 * 60 * 60_000;

/**
 * The default adapter, for an SDK of which only the contract is known. It believes a promise that the SDK returns and
 * that resolves with a result; else the SDK's events; else it sees that the flow's frame is gone, and not how it ended.
 */
export const contractAdapter =
  ({ flows, lines }: Pick<Registry, 'flows' | 'lines'>): ServiceAdapter =>
  (service, { flow, url, emit, ...options }) => {
    const sdk = service as ServiceGlobal;
    const { container } = options;
    const line: Line = lines.get(sdk) ?? { speakers: [], offs: [], named: new Map() };
    const look = watchFrames(new URL(url).origin, container, () =>
      [...flows].flatMap((other) => (other.container !== container && other.container) || []),
    );
    let handle: { then?: unknown; close?: () => unknown } = {};
    /** The SDK's promise may still tell how the flow ended. */
    let isPromised = false;
    let isClosed = false;
    let sight: Sight = 'unseen';
    let since = Date.now();
    let timer: ReturnType<typeof setInterval>;
    let resolve!: (value: unknown) => void;
    let reject!: (error: unknown) => void;
    let free!: () => void;
    const done = new Promise<unknown>((...settle) => ([resolve, reject] = settle));
    const gone = new Promise<void>((settle) => (free = settle));

    const leave = (hasSpoken: boolean) => {
      clearInterval(timer);
      me.isGone = true;
      if (hasSpoken) line.speakers = line.speakers.filter((other) => other !== me);
      if (!line.speakers[0]) stop(sdk, line);
      free();
    };
    const end = (value: unknown, hasSpoken: boolean) => {
      resolve(value);
      leave(hasSpoken);
    };
    const me: Speaker = {
      url,
      isGone: false,
      hasVerdict: false,
      hear(type, detail, sessionId) {
        since = Date.now();
        if (type === 'closed') {
          isClosed = true;
          if (!isPromised) end(detail, true);
        } else if (type !== 'error') emit({ type, ...(sessionId && { sessionId }), detail } as FlowEvent);
        else if (!isPromised) reject(detail);
        // An inline flow still shows its receipt, for as long as it likes.
        if (container && me.hasVerdict && !isPromised) leave(false);
      },
    };

    const watch = () => {
      const seen = look();
      if (seen !== sight) since = Date.now();
      sight = seen;
      const isOver = isClosed || me.hasVerdict;
      const maySpeak = !isOver && (isPromised || sdk.on);
      const patience: Record<Sight, number> = {
        unseen: isClosed && isPromised ? LAST_WORD_MS : maySpeak ? LONGEST_MS : UNSEEN_MS,
        there: Infinity,
        hidden: maySpeak ? UNSEEN_MS : LAST_WORD_MS,
        gone: LAST_WORD_MS,
      };
      if (Date.now() - since < patience[seen]) return;
      if (seen === 'unseen') emit({ type: 'unobservable' });
      end(undefined, !sdk.on);
    };

    if (sdk.on) {
      lines.set(sdk, line);
      line.speakers.push(me);
      listen(sdk, line);
    }
    try {
      const args = [url, ...(Object.keys(options)[0] ? [options] : [])] as const;
      handle = Object(flow === 'payment' ? sdk.completePayment(...args) : sdk.startFlow(...args));
      isPromised = !!handle.then;
      sight = look(true);
      if (!me.isGone) timer = setInterval(watch, LOOK_MS);
      if (isPromised)
        Promise.resolve(handle).then(
          (value) => {
            if (isResult(value)) return end(value, true);
            // That it resolved says no more than that something was opened.
            isPromised = false;
            since = Date.now();
            if (isClosed) end(undefined, true);
          },
          (error: unknown) => {
            reject(error);
            leave(true);
          },
        );
    } catch (error) {
      reject(error);
      leave(true);
    }

    return {
      done: done as Promise<FlowResult>,
      gone,
      async close() {
        await handle.close?.();
        isClosed = true;
        // Of what was never seen there is nothing to wait for, unless the SDK says when it has closed.
        if (look() === 'unseen' && (isPromised || !sdk.on)) end(undefined, !sdk.on);
      },
      // Results of a promise per call cannot be taken for one another's.
      concurrent: !!(handle.then && handle.close),
    };
  };
