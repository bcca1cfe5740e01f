/** Faults that the control API asked for, until they have happened. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, FaultKind, Faults } from '../runtime/faults.js';

/** A fault, how often it happens, and where. */
export interface FaultRequest extends Fault {
  readonly times: number;
  // The path of a page's payment is "/s/*/api/pay"; a doc comment cannot hold it.
  /**
   * A path or the beginning of one, by whole segments, in which `*` stands for any one of them. Without it: any
   * request of the API and of the pages to it.
   */
  readonly path?: string;
}

export interface FaultList extends Faults {
  add(fault: FaultRequest): void;
  clear(): void;
}

export function faultList(): FaultList {
  let waiting: { fault: FaultRequest; left: number }[] = [];
  const take = (kind: FaultKind, path: string): Fault | undefined => {
    const found = waiting.find(({ fault }) => fault.kind === kind && concerns(fault.path, path));
    if (!found) return undefined;
    found.left -= 1;
    if (found.left === 0) waiting = waiting.filter((entry) => entry !== found);
    return found.fault;
  };
  return {
    take,
    delay: async (path) => {
      const fault = take('latency', path);
      if (fault?.ms !== undefined) await delay(fault.ms);
    },
    add: (fault) => {
      waiting.push({ fault, left: fault.times });
    },
    clear: () => {
      waiting = [];
    },
  };
}

function concerns(pattern: string | undefined, path: string): boolean {
  if (pattern === undefined) return /^\/integrations\/|^\/s\/[^/]+\/api\//.test(path);
  const wanted = pattern.replace(/\/$/, '').split('/');
  const given = path.split('/');
  return wanted.every((part, place) => (part === '*' ? given[place] !== undefined : part === given[place]));
}

const KINDS: readonly string[] = ['latency', 'status', 'drop-before-commit', 'drop-after-commit'];

/** Parses the body of `POST /faults`. */
export function parseFault(body: unknown): FaultRequest | { problem: string } {
  const { kind, times = 1, path, ms, status } = (body ?? {}) as Record<string, unknown>;
  if (typeof kind !== 'string' || !KINDS.includes(kind))
    return { problem: `kind must be one of ${KINDS.join(', ')}.` };
  if (!isCount(times, 1, 1_000_000)) return { problem: 'times must be a whole number from 1.' };
  if (path !== undefined && (typeof path !== 'string' || !path.startsWith('/'))) {
    return { problem: 'path must begin with "/"; "*" stands for one segment.' };
  }
  if (kind === 'latency' && !isCount(ms, 0, 600_000))
    return { problem: 'latency needs ms, from 0 to 600000.' };
  if (kind === 'status' && !isCount(status, 400, 599))
    return { problem: 'status needs status, from 400 to 599.' };
  return {
    kind: kind as FaultKind,
    times,
    ...(path === undefined ? {} : { path }),
    ...(kind === 'latency' ? { ms: ms as number } : {}),
    ...(kind === 'status' ? { status: status as number } : {}),
  };
}

function isCount(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}
