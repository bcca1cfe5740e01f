import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { FaultInput } from '../shared/inspector.js';

export interface FaultRequest extends FaultInput {
  times: number;
}

type Kind = FaultInput['kind'];

/** Pending faults, injected through the control API. */
export class Faults {
  #waiting: readonly FaultRequest[] = [];
  readonly #onHit: (kind: Kind, path: string) => void;

  constructor(onHit: (kind: Kind, path: string) => void = () => undefined) {
    this.#onHit = onHit;
  }

  /** `times` is the remaining count. */
  get waiting(): readonly FaultRequest[] {
    return this.#waiting;
  }

  add(fault: FaultRequest): void {
    this.#waiting = [...this.#waiting, { ...fault }];
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Consumes a pending fault of this kind on `path`, if any. */
  take(kind: Kind, path: string): FaultRequest | undefined {
    const found = this.#waiting.find((fault) => fault.kind === kind && concerns(fault.path, path));
    if (!found) return undefined;

    found.times -= 1;
    this.#waiting = this.#waiting.filter(({ times }) => times > 0);
    this.#onHit(kind, path);
    return found;
  }
}

function concerns(pattern: string | undefined, path: string): boolean {
  if (pattern === undefined) return /^\/integrations\/|^\/s\/[^/]+\/api\//.test(path);
  const wanted = pattern.replace(/\/$/, '').split('/');
  const given = path.split('/');
  return wanted.every((part, place) => (part === '*' ? given[place] !== undefined : part === given[place]));
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

export function dropConnection(bindings: unknown): void {
  const { outgoing } = (bindings ?? {}) as { outgoing?: ServerResponse };
  outgoing?.destroy();
}
