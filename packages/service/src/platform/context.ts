/** The current request or job, which everything it calls can read. */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { Device, ProcessorContext } from '../processor/rules/port.js';
import type { LogFields } from './log/fields.js';

export interface Context {
  /** Fields of each log line. Webhooks store the request's id; webhooks and processor calls continue its trace. */
  readonly log: LogFields;
  /** The browser that sent the request, if it came from a payer's page. Must not be logged. */
  readonly device?: Device;
  /** Bytes of stored requests that were parsed so far. They count toward rate limits. */
  readonly parsed?: { bytes: number };
  /** Throws if that many bytes in total exceed a rate limit. Absent once the request can no longer be refused. */
  readonly limitParsed?: (bytes: number) => void;
  /** Id of the session of that page. */
  readonly pageOf?: string;
  readonly payer?: Payer;
}

/** What the processor is told about a payment from a page. Saves a database round trip. Must not be logged. */
export interface Payer extends Pick<ProcessorContext, 'channel' | 'initiator'> {
  readonly sessionId: string;
  readonly email: string | undefined;
}

const contexts = new AsyncLocalStorage<Context>();

export function runInContext<T>(context: Context, work: () => T): T {
  return contexts.run(context, work);
}

export function currentContext(): Context {
  return contexts.getStore() ?? { log: {} };
}

export function addToLog(fields: LogFields): void {
  Object.assign(currentContext().log, fields);
}

/** Call it before parsing. Throws if the request exceeds its rate limit. */
export function countParsed(bytes: number): void {
  expectParsed(bytes);
  const { parsed } = currentContext();
  if (parsed) parsed.bytes += bytes;
}

/** Like {@link countParsed}, for what will be parsed once the request can no longer be refused. */
export function expectParsed(bytes: number): void {
  const { parsed, limitParsed } = currentContext();
  limitParsed?.((parsed?.bytes ?? 0) + bytes);
}

/** Counts a response's bytes instead of the parsed bytes, if it has more. */
export function countWritten(bytes: number): void {
  const { parsed } = currentContext();
  if (parsed) parsed.bytes = Math.max(parsed.bytes, bytes);
}

/** Binds `work` to the current context, and to the current span, which OpenTelemetry keeps in the same way. */
export function inThisContext<T>(work: () => T): () => T {
  // `AsyncLocalStorage.bind` and `run` take longer.
  const resource = new AsyncResource('embedded-sessions');
  return () => resource.runInAsyncScope(work);
}
