/** Which request something is done for: known to log lines and to what is written in it, and to nothing after it. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Origin {
  readonly requestId: string;
  /** As its caller sent it, W3C Trace Context. */
  readonly traceparent?: string;
}

const current = new AsyncLocalStorage<Origin | undefined>();

/** What `work` does, and all that it begins, is done for a request. */
export const inRequest = <T>(origin: Origin, work: () => T): T => current.run(origin, work);

/** What `work` begins is done for no request, though one gave the occasion. */
export const forNoRequest = <T>(work: () => T): T => current.run(undefined, work);

/** The request that this is done for, if it is one. */
export const originNow = (): Origin | undefined => current.getStore();

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * A `traceparent` that may be passed on; undefined for one that is missing or breaks a rule. One of a later version is
 * passed on as what this version knows of it.
 *
 * @example readTraceparent('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
 */
export function readTraceparent(header: string | undefined): string | undefined {
  const [, version, trace = '', parent = '', flags = '', more] = TRACEPARENT.exec(header ?? '') ?? [];
  if (version === undefined || version === 'ff' || /^0+$/.test(trace) || /^0+$/.test(parent))
    return undefined;
  if (version === '00') return more === undefined ? header : undefined;
  return `00-${trace}-${parent}-0${Number.parseInt(flags, 16) & 1}`;
}
