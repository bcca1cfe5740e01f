/** Delivers webhooks from the outbox, signed according to Standard Webhooks, with retries. */
import { msSince } from '../platform/timeouts.js';
import { setMaxListeners } from 'node:events';
import { SpanKind, type Span } from '@opentelemetry/api';
import { Slots } from '../platform/slots.js';
import { UnitQueues } from '../platform/unit-queues.js';
import { unitOf, type BusinessUnit } from '../platform/config/config.js';
import { describeError } from '../platform/log/log.js';
import type { Deps } from '../deps.js';
import { recordUnits } from './served-units.js';
import { deleteUnwanted, recordDelivery, takeDue, type Taken, type Times } from './queue.js';
import { applyDelivery, type Delivery, type OutboxMessage } from './rules.js';
import { send } from './send.js';
import { signedHeaders } from '../platform/http/signed-headers.js';
import { inSpan, spanFailed, traceparentOf } from '../platform/tracing.js';
import { defined } from '../core/defined.js';

/**
 * Concurrent deliveries to one business unit. A queue starts with one, and doubles up to this after each batch that the
 * receiver accepts in time, so a receiver that hangs never holds many connections.
 */
const MAX_CONCURRENT = 8;
/** A receiver is slow if a batch takes longer than this, real ms. */
const SLOW_MS = 2_000;
/** Maximum number of slow receivers served concurrently, which limits their open connections. */
const MAX_SLOW = 64;
/** Concurrent transactions of all queues: half of a process's connections to PostgreSQL, so that requests don't wait. */
const MAX_TRANSACTIONS = 5;
/** Bytes of a receiver's response to keep for the inspector. */
const RESPONSE_BYTES = 2_048;
const FORGET_LIMIT = 100;

export interface DeliverParts extends Pick<
  Deps,
  'env' | 'config' | 'store' | 'clock' | 'log' | 'metrics' | 'delivered'
> {
  /** Aborts deliveries when the process stops. They are sent again later. */
  readonly signal: AbortSignal;
}

type UnitWithWebhook = BusinessUnit & { webhook: NonNullable<BusinessUnit['webhook']> };

/** @param run runs a job; if it fails, reports the error and resolves to 0 */
export function createDeliveries(
  parts: DeliverParts,
  run: (job: () => Promise<number>) => Promise<number>,
): UnitQueues {
  const delivery = new WebhookDelivery(parts);
  return new UnitQueues({
    due: () => delivery.due(),
    work: (slug) => delivery.work(slug),
    run,
    mayBegin: (slug, running) => delivery.mayBegin(slug, running),
  });
}

/** Delivers messages by business unit, and limits how many wait for slow receivers. */
class WebhookDelivery {
  readonly #parts: DeliverParts;
  readonly #transactions = new Slots(MAX_TRANSACTIONS);
  /** When the last turn of each slow receiver ended, on the clock of `performance.now()`. */
  readonly #slow = new Map<string, number>();

  constructor(parts: DeliverParts) {
    this.#parts = parts;
    // One listener per delivery in flight.
    setMaxListeners(0, parts.signal);
  }

  async due(): Promise<string[]> {
    const { now, systemNow } = timesOf(this.#parts);
    const units = await this.#parts.store.read((tx) => tx.outbox.unitsDue(now, systemNow));
    // Slow receivers take turns, because one that has recovered is only known to be fast after its next turn.
    const lastTurn = (slug: string): number => this.#slow.get(slug) ?? 0;
    return units.toSorted((one, other) => lastTurn(one) - lastTurn(other));
  }

  mayBegin(slug: string, running: readonly string[]): boolean {
    if (!this.#slow.has(slug)) return true;
    return running.filter((other) => this.#slow.has(other)).length < MAX_SLOW;
  }

  async work(slug: string): Promise<number> {
    const { config, store } = this.#parts;
    const unit = unitOf(config, slug);
    // messages wait until the unit returns to the config or they are given up.
    if (!unit) return 0;
    if (hasWebhook(unit)) return this.#deliverAll(slug);
    return this.#transactions.run(slug, () =>
      store.transaction((tx) => deleteUnwanted(tx, slug, FORGET_LIMIT)),
    );
  }

  /** Resolves to the number of messages handled. A slow receiver yields its turn after each batch. */
  async #deliverAll(slug: string): Promise<number> {
    const { config, signal } = this.#parts;
    let total = 0;
    let concurrency = 1;
    let sent: readonly Sent[] = [];
    let isTurnOver = false;

    while (true) {
      const unit = signal.aborted || isTurnOver ? undefined : unitOf(config, slug);
      const next = unit && hasWebhook(unit) ? unit : null;
      if (next === null && sent.length === 0) return total;

      const { taken, disabled } = await this.#transactions.run(slug, () =>
        recordAndTake(this.#parts, sent, next, concurrency),
      );
      total += sent.length + disabled.length;
      if (next === null || taken.length + disabled.length === 0) return total;

      const started = performance.now();
      sent = await sendAll(this.#parts, next, taken);
      const ended = performance.now();
      isTurnOver = ended - started > SLOW_MS;
      if (isTurnOver) this.#slow.set(slug, ended);
      else this.#slow.delete(slug);

      concurrency = Math.min(2 * concurrency, MAX_CONCURRENT);
    }
  }
}

/** Records which business units have a webhook, so that a process whose config lacks it keeps their messages. */
export async function publishUnits({ store, config }: Pick<Deps, 'store' | 'config'>): Promise<void> {
  const { businessUnits } = config;
  const slugs = businessUnits.filter(hasWebhook).map(({ slug }) => slug);
  await store.transaction(async (tx) => {
    await recordUnits(tx, businessUnits);
    await tx.outbox.recordReceivers(slugs);
  });
}

function hasWebhook(unit: BusinessUnit): unit is UnitWithWebhook {
  return unit.webhook !== undefined;
}

function timesOf({ clock }: Pick<DeliverParts, 'clock'>): Times {
  return { now: clock.now(), systemNow: Date.now() };
}

interface Sent {
  readonly message: OutboxMessage;
  readonly url: string;
  readonly delivery: Delivery;
}

/** Records a batch and takes the next in one transaction. Takes none if `unit` is null. */
async function recordAndTake(
  parts: DeliverParts,
  sent: readonly Sent[],
  unit: UnitWithWebhook | null,
  limit: number,
): Promise<Taken> {
  const times = timesOf(parts);
  const { recorded, next } = await parts.store.transaction(async (tx) => ({
    recorded: await Promise.all(
      sent.map(({ message, url, delivery }) => recordDelivery(tx, message, url, delivery, times.now)),
    ),
    next: unit ? await takeDue(tx, unit.slug, unit.webhook.url, times, limit) : { taken: [], disabled: [] },
  }));
  for (const message of [...recorded, ...next.disabled]) if (message) report(parts, message);
  return next;
}

/** Omits deliveries that were aborted because the process stops. They are sent again. */
async function sendAll(
  parts: DeliverParts,
  unit: UnitWithWebhook,
  messages: readonly OutboxMessage[],
): Promise<Sent[]> {
  const { url } = unit.webhook;
  const sent = await Promise.all(
    messages.map(async (message) => {
      const delivery = await attempt(parts, unit.webhook, message);
      return parts.signal.aborted ? null : { message, url, delivery };
    }),
  );
  return sent.filter((one) => one !== null);
}

function report({ log, metrics }: DeliverParts, message: OutboxMessage): void {
  const { id: messageId, businessUnit, sessionId, requestId, traceparent } = message;
  const { status: outcome, attempts: count, lastError } = message;
  metrics?.webhook(outcome);
  const about = {
    job: 'deliver',
    messageId,
    businessUnit,
    ...defined({ sessionId, requestId, traceparent }),
    count,
    outcome,
  };
  if (outcome === 'delivered') log.info('Webhook delivered', about);
  else
    log.warn('A webhook was not delivered', { ...about, codes: lastError === undefined ? [] : [lastError] });
}

/** If the request can't even be built, counts a failed attempt, so that the message is given up eventually. */
async function attempt(
  parts: DeliverParts,
  webhook: UnitWithWebhook['webhook'],
  message: OutboxMessage,
): Promise<Delivery> {
  try {
    const { businessUnit, sessionId, id: messageId, traceparent } = message;
    const about = { businessUnit, ...defined({ sessionId }), messageId };
    const from = { traceparent };
    return await inSpan(`webhook ${message.type}`, { kind: SpanKind.PRODUCER, about, from }, (span) =>
      deliver(parts, webhook, message, span),
    );
  } catch (error) {
    const { name, code = name } = describeError(error);
    return { type: 'unreachable', reason: code };
  }
}

async function deliver(
  { env, signal, delivered }: DeliverParts,
  { url, secrets }: UnitWithWebhook['webhook'],
  message: OutboxMessage,
  span: Span,
): Promise<Delivery> {
  const started = performance.now();
  const delivery = await send({
    url,
    body: message.body,
    headers: {
      ...signedHeaders(message.id, message.body, secrets),
      ...defined({ traceparent: traceparentOf(span) ?? message.traceparent }),
    },
    publicOnly: env === 'production',
    signal,
    ...(delivered ? { answerBytes: RESPONSE_BYTES } : {}),
  });
  if (delivery.type === 'answered') span.setAttribute('http.response.status_code', delivery.status);
  const { lastError } = applyDelivery(message, delivery, 0);
  if (lastError !== undefined) spanFailed(span, lastError);
  const outcome =
    delivery.type === 'answered'
      ? defined({ status: delivery.status, answer: delivery.answer || undefined })
      : { error: delivery.reason };
  delivered?.({ messageId: message.id, ms: msSince(started), ...outcome });
  return delivery;
}
