import type { ServerResponse } from 'node:http';

/** What the control API's `POST /faults` asks for; each one is taken `times` times, then it is over. */
export type Fault =
  | { kind: 'latency'; ms: number }
  | { kind: 'status'; status: number }
  | { kind: 'drop-before-commit' }
  | { kind: 'drop-after-commit' };

export interface Faults {
  /** Takes one fault of that kind that is due on `path`, if there is any. */
  take<K extends Fault['kind']>(kind: K, path: string): Extract<Fault, { kind: K }> | undefined;
}

/** Thrown to end the connection without an answer. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped';
  readonly code = 'connection_dropped';
}

/** Ends the connection of a request that came over a socket; elsewhere `fetch` rejects. */
export function dropConnection(bindings: unknown): void {
  const outgoing = (bindings as { outgoing?: ServerResponse } | undefined)?.outgoing;
  outgoing?.destroy();
}
