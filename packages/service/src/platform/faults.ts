import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** What the control API's `POST /faults` can make go wrong on one path or on any. */
export type FaultKind = 'latency' | 'status' | 'drop-before-commit' | 'drop-after-commit';

export interface Fault {
  readonly kind: FaultKind;
  /** `latency` only, milliseconds. */
  readonly ms?: number;
  /** `status` only. */
  readonly status?: number;
}

/** The faults that are still to happen. */
export interface Faults {
  /** Those of a request that arrives now: what is asked for later is the next one's. */
  asOfNow(): Faults;
  /** Takes one of this kind that is due on `path`, if there is any. */
  take(kind: FaultKind, path: string): Fault | undefined;
}

/** Takes a `latency` that is due on `path` and waits for as long as it says. */
export async function delayed(faults: Faults, path: string): Promise<void> {
  const ms = faults.take('latency', path)?.ms;
  if (ms !== undefined) await setTimeout(ms);
}

/** Thrown to end a connection without an answer. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped';
  readonly code = 'connection_dropped';
}

/** Ends the connection of a request that came over a socket; in a process of one's own `fetch` rejects instead. */
export function dropConnection(bindings: unknown): void {
  const { outgoing } = (bindings ?? {}) as { outgoing?: ServerResponse };
  outgoing?.destroy();
}
