import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { FaultInput } from '../shared/inspector.js';

/** A fault that the control API's `POST /faults` injected. */
export type Fault = Pick<FaultInput, 'kind' | 'ms' | 'status'>;

export interface Faults {
  /** Consumes a pending fault of this kind on `path`, if any. */
  take(kind: Fault['kind'], path: string): Fault | undefined;
}

/** Consumes a `latency` fault on `path` and waits for its duration. */
export async function delayed(faults: Faults, path: string): Promise<void> {
  const ms = faults.take('latency', path)?.ms;
  if (ms !== undefined) await setTimeout(ms);
}

export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped';
  readonly code = 'connection_dropped';
}

/** Drops the connection of a request that came over a socket; in-process, `fetch` rejects instead. */
export function dropConnection(bindings: unknown): void {
  const { outgoing } = (bindings ?? {}) as { outgoing?: ServerResponse };
  outgoing?.destroy();
}
