import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from '@prometheus-io/client';

/** Request metrics, without anything about callers or payloads. */
export interface Metrics {
  /** Starts the counts of failed requests at zero, for each of these routes. */
  routes(routes: readonly { route: string; method: string }[]): void;
  request(seen: { route: string; method: string; status: number; ms: number }): void;
  /** A processor response was recorded; `unknown` means it needs a lookup. */
  payment(status: PaymentMetric): void;
  /** A webhook was attempted, with the message's new status; `pending` means it is retried. */
  webhook(status: WebhookMetric): void;
  /** An attempt to send a message to a payer, with the message's new status; `pending` means it is retried. */
  message(channel: Channel, status: MessageMetric): void;
  /** A job failed and will be retried. */
  jobFailed(job: JobName): void;
  /** Prometheus text format, including the values in `seen`; unknown values are omitted. */
  text(seen?: Seen): Promise<string>;
  readonly contentType: string;
}

/** `look` is the poll for due work. */
const JOBS = [
  'look',
  'expire',
  'execute',
  'settle',
  'refund',
  'receive',
  'deliver',
  'send',
  'sweep',
] as const;
export type JobName = (typeof JOBS)[number];

const PAYMENTS = ['succeeded', 'declined', 'pending', 'returned', 'unknown'] as const;
type PaymentMetric = (typeof PAYMENTS)[number];

const WEBHOOKS = ['delivered', 'pending', 'failed', 'disabled'] as const;
type WebhookMetric = (typeof WEBHOOKS)[number];

const CHANNELS = ['email', 'sms'] as const;
type Channel = (typeof CHANNELS)[number];

const MESSAGES = ['sent', 'unsent', 'pending', 'failed'] as const;
type MessageMetric = (typeof MESSAGES)[number];

/** Values queried when the metrics are read. */
export interface Seen {
  /** Webhook messages being retried, by business unit. */
  readonly messages?: readonly PendingMessages[];
  /** Age of the oldest payment without a known outcome; 0 if every outcome is known. */
  readonly processingMs?: number;
  /** No process runs jobs, because a backup was restored. */
  readonly areJobsHeld?: boolean;
  readonly pool?: { readonly used: number; readonly size: number };
}

interface PendingMessages {
  readonly businessUnit: string;
  readonly count: number;
  readonly ageMs: number;
}

/** Number of business units with their own label: those that wait longest. */
const MAX_UNITS = 50;
/** No business unit has parentheses in its slug. */
const OTHER_UNITS = '(other)';

/** The units that wait longest, and the rest combined. */
function labeled(all: readonly PendingMessages[]): PendingMessages[] {
  const sorted = all.toSorted((a, b) => b.ageMs - a.ageMs);
  const rest = sorted.slice(MAX_UNITS);
  return [
    ...sorted.slice(0, MAX_UNITS),
    {
      businessUnit: OTHER_UNITS,
      count: rest.reduce((sum, { count }) => sum + count, 0),
      ageMs: rest[0]?.ageMs ?? 0,
    },
  ];
}

/** Statuses that alerts count. */
const FAILURES = [429, 500, 503];

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);

/** Floating-point sums end in noise such as 0.14000000000000002, which may look like a card number. */
export const withoutTails = (text: string): string =>
  text.replace(/\d+\.\d{10,}/g, (number) => `${Number(Number(number).toFixed(9))}`);

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counter = <Label extends string>(
    name: string,
    help: string,
    ...labelNames: Label[]
  ): Counter<Label> => new Counter({ name, help, labelNames, registers: [registry] });
  const unitGauge = (name: string, help: string): Gauge<'business_unit'> =>
    new Gauge({ name, help, labelNames: ['business_unit'], registers: [registry] });
  const gauge = (name: string, help: string): ((value: number | undefined) => void) => {
    const one = new Gauge({ name, help, registers: [registry] });
    return (value) => (value === undefined ? one.remove() : one.set(value));
  };
  const requests = counter('http_requests_total', 'Requests answered.', 'route', 'method', 'status');
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to its response.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const payments = counter(
    'payments_total',
    'Responses of the payment processor, by payment status.',
    'status',
  );
  const webhooks = counter(
    'webhook_attempts_total',
    'Attempts to deliver a webhook, by the message status afterwards.',
    'status',
  );
  const sent = counter(
    'payer_messages_total',
    'Attempts to send a message to a payer, by its status afterwards.',
    'channel',
    'status',
  );
  const failures = counter('jobs_failed_total', 'Jobs that failed and will be retried.', 'job');
  // Prometheus only sees an increase from an existing value.
  for (const job of JOBS) failures.inc({ job }, 0);
  for (const status of PAYMENTS) payments.inc({ status }, 0);
  for (const status of WEBHOOKS) webhooks.inc({ status }, 0);
  for (const channel of CHANNELS) for (const status of MESSAGES) sent.inc({ channel, status }, 0);
  const pending = unitGauge(
    'webhook_messages_pending',
    `Webhook messages being retried, for the ${MAX_UNITS} business units that wait longest and for all others.`,
  );
  const oldest = unitGauge('webhook_messages_oldest_seconds', 'Age of the oldest of these messages.');
  const processing = gauge(
    'payment_processing_oldest_seconds',
    'Age of the oldest payment whose outcome is not known; 0 if there is no such payment.',
  );
  const held = gauge('jobs_held', '1 while no process runs jobs, because a backup was restored.');
  const used = gauge('database_connections_used', 'PostgreSQL connections in use.');
  const size = gauge('database_connections_limit', 'Maximum number of PostgreSQL connections.');
  return {
    jobFailed: (job) => failures.inc({ job }),
    payment: (status) => payments.inc({ status }),
    message: (channel, status) => sent.inc({ channel, status }),
    webhook: (status) => webhooks.inc({ status }),
    routes: (routes) => {
      for (const { route, method } of routes)
        for (const status of FAILURES) requests.inc({ route, method, status }, 0);
    },
    request: ({ route, method, status, ms }) => {
      requests.inc({ route, method: METHODS.has(method) ? method : 'other', status });
      seconds.observe({ route }, ms / 1000);
    },
    text: async (seen = {}) => {
      pending.reset();
      oldest.reset();
      for (const { businessUnit: business_unit, count, ageMs } of seen.messages
        ? labeled(seen.messages)
        : []) {
        pending.set({ business_unit }, count);
        oldest.set({ business_unit }, ageMs / 1000);
      }
      processing(seen.processingMs === undefined ? undefined : seen.processingMs / 1000);
      held(seen.areJobsHeld === undefined ? undefined : Number(seen.areJobsHeld));
      used(seen.pool?.used);
      size(seen.pool?.size);
      return withoutTails(await registry.metrics());
    },
    contentType: registry.contentType,
  };
}
