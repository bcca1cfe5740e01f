/** The current request or job. Everything that it calls can read it, so nothing has to pass it on. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { context as spans } from '@opentelemetry/api';
import type { Device } from '../processor/rules/port.js';
import type { Session } from '../sessions/rules/session.js';
import type { LogFields } from './log/fields.js';

export interface Context {
  /** Fields of each log line. Webhooks keep the request's id, and webhooks and processor calls its trace. */
  readonly log: LogFields;
  /** The browser that sent the request, if it came from a payer's page. Must not be logged. */
  readonly device?: Device;
  /** The session of that page. It saves a round trip to the database. */
  readonly session?: Session;
}

const contexts = new AsyncLocalStorage<Context>();

export function runInContext<T>(context: Context, work: () => T): T {
  return contexts.run(context, work);
}

/** Empty outside of requests and jobs. */
export function currentContext(): Context {
  return contexts.getStore() ?? { log: {} };
}

/** Adds fields to the log lines of the current request that follow. */
export function addToLog(fields: LogFields): void {
  Object.assign(currentContext().log, fields);
}

/** Makes `work` run in the current context, wherever it is called. */
export function inThisContext<T>(work: () => T): () => T {
  const current = contexts.getStore();
  // `AsyncLocalStorage.bind` would make an AsyncResource for each call. The current span is OpenTelemetry's.
  return spans.bind(spans.active(), () => contexts.run(current as Context, work));
}
