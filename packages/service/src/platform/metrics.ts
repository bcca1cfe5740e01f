import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from '@prometheus-io/client';

/** `look` is the poll for due work. */
const JOBS = [
  'look',
  'expire',
  'execute',
  'settle',
  'refund',
  'forget',
  'receive',
  'deliver',
  'send',
  'sweep',
] as const;
export type JobName = (typeof JOBS)[number];

const PAYMENTS = ['succeeded', 'declined', 'pending', 'returned', 'unknown'] as const;

const WEBHOOKS = ['delivered', 'pending', 'failed', 'disabled'] as const;

const CHANNELS = ['email', 'sms'] as const;

const MESSAGES = ['sent', 'unsent', 'pending', 'failed'] as const;

export interface MetricsSnapshot {
  readonly messages?: readonly PendingMessages[];
  readonly processingMs?: number;
  readonly areJobsHeld?: boolean;
  readonly pool?: { readonly used: number; readonly size: number };
}

interface PendingMessages {
  readonly businessUnit: string;
  readonly count: number;
  readonly ageMs: number;
}

/** Number of business units with a label of their own: those that wait longest. */
const MAX_UNITS = 50;
/** Stop counting a business unit's messages here: an exact number would help nobody. */
export const MAX_PENDING = 10_000;
/** No business unit has parentheses in its slug. */
const OTHER_UNITS = '(other)';

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
export const roundSums = (text: string): string =>
  text.replace(/\d+\.\d{10,}/g, (number) => `${Number(Number(number).toFixed(9))}`);

/** Request metrics, without anything about callers or payloads. */
export class Metrics {
  readonly #registry = new Registry();
  readonly contentType: string = this.#registry.contentType;
  readonly #requests = this.#counter(
    'http_requests_total',
    'Requests answered.',
    'route',
    'method',
    'status',
  );
  readonly #seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to its response, including its wait for other requests.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.#registry],
  });
  readonly #payments = this.#counter(
    'payments_total',
    'Responses of the payment processor, by payment status.',
    'status',
  );
  readonly #webhooks = this.#counter(
    'webhook_attempts_total',
    'Attempts to deliver a webhook, by the message status afterwards.',
    'status',
  );
  readonly #messages = this.#counter(
    'payer_messages_total',
    'Attempts to send a message to a payer, by its status afterwards.',
    'channel',
    'status',
  );
  readonly #failures = this.#counter('jobs_failed_total', 'Jobs that failed and will be retried.', 'job');
  readonly #pending = this.#gauge(
    'webhook_messages_pending',
    `Webhook messages being retried, for the ${MAX_UNITS} business units that wait longest and for all others; at most ${MAX_PENDING} of each.`,
    'business_unit',
  );
  readonly #oldest = this.#gauge(
    'webhook_messages_oldest_seconds',
    'Age of the oldest of these messages.',
    'business_unit',
  );
  readonly #processing = this.#gauge(
    'payment_processing_oldest_seconds',
    'Age of the oldest payment whose outcome is not known, without the time that payers have for a challenge; 0 if there is no such payment.',
  );
  readonly #held = this.#gauge('jobs_held', '1 while no process runs jobs, because a backup was restored.');
  readonly #used = this.#gauge('database_connections_used', 'PostgreSQL connections in use.');
  readonly #size = this.#gauge('database_connections_limit', 'Maximum number of PostgreSQL connections.');

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    // Prometheus only sees an increase from an existing value.
    for (const job of JOBS) this.#failures.inc({ job }, 0);
    for (const status of PAYMENTS) this.#payments.inc({ status }, 0);
    for (const status of WEBHOOKS) this.#webhooks.inc({ status }, 0);
    for (const channel of CHANNELS) for (const status of MESSAGES) this.#messages.inc({ channel, status }, 0);
  }

  /** Starts the counts of failed requests at zero, for each of these routes. */
  routes(routes: readonly { route: string; method: string }[]): void {
    for (const { route, method } of routes)
      for (const status of FAILURES) this.#requests.inc({ route, method, status }, 0);
  }

  request({ route, method, status, ms }: Request): void {
    this.#requests.inc({ route, method: METHODS.has(method) ? method : 'other', status });
    this.#seconds.observe({ route }, ms / 1000);
  }

  payment(status: (typeof PAYMENTS)[number]): void {
    this.#payments.inc({ status });
  }

  webhook(status: (typeof WEBHOOKS)[number]): void {
    this.#webhooks.inc({ status });
  }

  message(channel: (typeof CHANNELS)[number], status: (typeof MESSAGES)[number]): void {
    this.#messages.inc({ channel, status });
  }

  jobFailed(job: JobName): void {
    this.#failures.inc({ job });
  }

  /** Prometheus text format, including the values in `seen`; unknown values are omitted. */
  async text({ messages, processingMs, areJobsHeld, pool }: MetricsSnapshot = {}): Promise<string> {
    this.#pending.reset();
    this.#oldest.reset();
    for (const { businessUnit: business_unit, count, ageMs } of messages ? labeled(messages) : []) {
      this.#pending.set({ business_unit }, count);
      this.#oldest.set({ business_unit }, ageMs / 1000);
    }
    setOrRemove(this.#processing, processingMs === undefined ? undefined : processingMs / 1000);
    setOrRemove(this.#held, areJobsHeld === undefined ? undefined : Number(areJobsHeld));
    setOrRemove(this.#used, pool?.used);
    setOrRemove(this.#size, pool?.size);
    return roundSums(await this.#registry.metrics());
  }

  #counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #gauge<Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }
}

function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}

interface Request {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
}
