import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from '@prometheus-io/client';

/** What is counted of every request: never who asked, nor for what. */
export interface Metrics {
  request(seen: { route: string; method: string; status: number; ms: number }): void;
  /** A processor's answer was recorded; `unknown`: it has to be asked for. */
  payment(status: 'succeeded' | 'declined' | 'pending' | 'returned' | 'unknown'): void;
  /** A webhook was attempted, and this became of the message; `pending`: it is tried again. */
  webhook(status: 'delivered' | 'pending' | 'failed' | 'disabled'): void;
  /** A job failed, and is tried again. */
  jobFailed(job: JobName): void;
  /** In the text format of Prometheus, with what was seen just now; what is not known is left out. */
  text(seen?: Seen): Promise<string>;
  readonly contentType: string;
}

/** `look`: for what is due. */
export type JobName = 'look' | 'expire' | 'execute' | 'settle' | 'refund' | 'deliver' | 'sweep';

const JOBS: Readonly<Record<JobName, true>> = {
  look: true,
  expire: true,
  execute: true,
  settle: true,
  refund: true,
  deliver: true,
  sweep: true,
};

/** What is looked up when the metrics are read. */
export interface Seen {
  /** Webhook messages that are still tried. */
  readonly messages?: number;
  /** Age of the oldest payment whose outcome is not known; 0 where there is none. */
  readonly processingMs?: number;
  readonly pool?: { readonly used: number; readonly size: number };
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);

/** Sums of fractions end in digits that mean nothing, such as 0.14000000000000002, and may read like a card number. */
export const withoutTails = (text: string): string =>
  text.replace(/\d+\.\d{10,}/g, (number) => `${Number(Number(number).toFixed(9))}`);

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const payments = new Counter({
    name: 'payments_total',
    help: 'Answers of the payment processor, by what they were.',
    labelNames: ['status'],
    registers: [registry],
  });
  const webhooks = new Counter({
    name: 'webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by what became of the message.',
    labelNames: ['status'],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'jobs_failed_total',
    help: 'Jobs that failed and are tried again.',
    labelNames: ['job'],
    registers: [registry],
  });
  // An increase is seen only of what was told before.
  for (const job of Object.keys(JOBS)) failures.inc({ job }, 0);
  const gauge = (name: string, help: string): ((value: number | undefined) => void) => {
    const one = new Gauge({ name, help, registers: [registry] });
    return (value) => (value === undefined ? one.remove() : one.set(value));
  };
  const messages = gauge('webhook_messages_pending', 'Webhook messages still tried; counted up to 10,000.');
  const processing = gauge(
    'payment_processing_oldest_seconds',
    'Age of the oldest payment whose outcome is not known; 0 where there is none.',
  );
  const used = gauge('database_connections_used', 'Connections to PostgreSQL that are in use.');
  const size = gauge('database_connections_limit', 'Most connections to PostgreSQL at once.');
  return {
    jobFailed: (job) => failures.inc({ job }),
    payment: (status) => payments.inc({ status }),
    webhook: (status) => webhooks.inc({ status }),
    request: ({ route, method, status, ms }) => {
      requests.inc({ route, method: METHODS.has(method) ? method : 'other', status });
      seconds.observe({ route }, ms / 1000);
    },
    text: async (seen = {}) => {
      messages(seen.messages);
      processing(seen.processingMs === undefined ? undefined : seen.processingMs / 1000);
      used(seen.pool?.used);
      size(seen.pool?.size);
      return withoutTails(await registry.metrics());
    },
    contentType: registry.contentType,
  };
}
