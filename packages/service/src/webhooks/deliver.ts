/** Delivers webhooks from the outbox: signed by Standard Webhooks, retried on the clock. */
import { setMaxListeners } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { createApart } from '../platform/apart.js';
import type { Apart } from '../platform/apart.js';
import { unitOf } from '../platform/config/config.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { describeError } from '../platform/log/log.js';
import type { Deps } from '../deps.js';
import { nameUnits } from './served-units.js';
import { forgetUnwanted, recordDelivery, takeDue } from './queue.js';
import type { Times } from './queue.js';
import type { Delivery, OutboxMessage } from './rules.js';
import { send } from './send.js';
import { given } from '../core/given.js';

/**
 * Messages of one business unit that are delivered at once: one until its server has answered in time, then twice as
 * many every time. What hangs costs the others little from the start.
 */
const MOST_AT_ONCE = 8;
/** A business unit's server is slow when a delivery to it took longer than this, real ms. */
const SLOW_MS = 2_000;
/** Business units with slow servers that are delivered to at once: what they hold open is bounded. */
const MOST_SLOW = 64;

export interface DeliverParts extends Pick<
  Deps,
  'env' | 'config' | 'store' | 'clock' | 'log' | 'metrics' | 'delivered'
> {
  /** Ends deliveries in flight when the process stops; what was cut off is sent again later. */
  readonly signal: AbortSignal;
}

export interface Deliveries {
  /** Begins to deliver what is due, and waits for none of it. */
  begin(): Promise<void>;
  /** Delivers what is due, and what becomes due by that; resolves when nothing is any more. */
  untilNothingIsDue(): Promise<void>;
  /** Resolves when nothing is being delivered. */
  idle(): Promise<void>;
}

/** Of an answer, where somebody looks on. */
const ANSWER_BYTES = 2_048;

type Webhooked = BusinessUnit & { webhook: NonNullable<BusinessUnit['webhook']> };

/**
 * Each business unit has a queue of its own: its server's pace holds up no other's, be they ever so many that do not
 * answer.
 * @param run what becomes of an error; it resolves 0 then
 */
export function createDeliveries(
  parts: DeliverParts,
  run: (job: () => Promise<number>) => Promise<number>,
): Deliveries {
  const { store, config, signal } = parts;
  // As many deliveries wait for it as there are.
  setMaxListeners(0, signal);
  const queues = new Map<string, Promise<number>>();
  const slow = new Set<string>();
  const apart = createApart(parts, 'deliver');
  let expected: readonly BusinessUnit[] | undefined;

  const mayBegin = (slug: string): boolean =>
    !slow.has(slug) || [...queues.keys()].filter((other) => slow.has(other)).length < MOST_SLOW;

  /** Resolves how many messages were dealt with; after a slow batch it is another's turn. */
  const deliverTo = async (slug: string): Promise<number> => {
    for (let total = 0, atOnce = 1; ; atOnce = Math.min(2 * atOnce, MOST_AT_ONCE)) {
      const unit = unitOf(config, slug);
      if (signal.aborted || !unit || !hasWebhook(unit)) return total;
      const begun = performance.now();
      const { taken, count } = await deliverBatch(parts, apart, unit, atOnce);
      if (performance.now() - begun > SLOW_MS) slow.add(unit.slug);
      else slow.delete(unit.slug);
      total += count;
      if (taken === 0 || slow.has(unit.slug)) return total;
    }
  };

  const workOf = async (slug: string): Promise<number> => {
    const unit = unitOf(config, slug);
    // It left the config: whoever brings it back delivers them, else they are given up by age.
    if (!unit) return 0;
    if (hasWebhook(unit)) return deliverTo(slug);
    return store.transaction((tx) => forgetUnwanted(tx, slug, MOST_FORGOTTEN));
  };

  const queueOf = (slug: string): Promise<number> => {
    const begun = queues.get(slug) ?? run(() => workOf(slug)).finally(() => queues.delete(slug));
    queues.set(slug, begun);
    return begun;
  };
  let asked: Promise<unknown> = Promise.resolve();
  const beginDue = (): Promise<Promise<number>[]> => {
    const asking = askAndBegin();
    // Without what they came to: each would hold all that came before it.
    asked = Promise.all([asked, asking]).then(() => undefined);
    return asking;
  };
  const askAndBegin = async (): Promise<Promise<number>[]> => {
    const begun: Promise<number>[] = [];
    await run(async () => {
      if (config.businessUnits !== expected) await tellUnits(parts);
      expected = config.businessUnits;
      const { now, systemNow } = timesOf(parts);
      const slugs = await store.read((tx) => tx.outbox.unitsDue(now, systemNow));
      for (const slug of slugs) if (queues.has(slug) || mayBegin(slug)) begun.push(queueOf(slug));
      return slugs.length;
    });
    return begun;
  };
  const idle = async (): Promise<void> => {
    await asked;
    await Promise.all(queues.values());
  };
  return {
    begin: async () => void (await beginDue()),
    untilNothingIsDue: async () => {
      // What began before the clock moved may not have seen what is due now.
      await idle();
      const followed = new Set<Promise<number>>();
      /** Looks again as soon as one queue is through: those that still run hold up no other. */
      const look = async (): Promise<void> => {
        const begun = (await beginDue()).filter((queue) => !followed.has(queue));
        for (const queue of begun) followed.add(queue);
        await Promise.all(begun.map(async (queue) => ((await queue) > 0 ? look() : undefined)));
      };
      await look();
    },
    idle,
  };
}

/**
 * Tells whoever shares the database which business units there are, and the other processes which of them have a
 * webhook: one whose config does not say so keeps their messages.
 */
export async function tellUnits({ store, config }: Pick<Deps, 'store' | 'config'>): Promise<void> {
  const { businessUnits } = config;
  const slugs = businessUnits.filter(hasWebhook).map(({ slug }) => slug);
  await store.transaction(async (tx) => {
    await nameUnits(
      tx,
      businessUnits.map(({ slug }) => slug),
    );
    await tx.outbox.expectOf(slugs);
  });
}

/** Messages that are forgotten in one transaction. */
const MOST_FORGOTTEN = 1_000;

function hasWebhook(unit: BusinessUnit): unit is Webhooked {
  return unit.webhook !== undefined;
}

function timesOf({ clock }: Pick<DeliverParts, 'clock'>): Times {
  return { now: clock.now(), systemNow: Date.now() };
}

/** Resolves how many messages were taken, and how many of them were dealt with. */
async function deliverBatch(
  parts: DeliverParts,
  apart: Apart,
  unit: Webhooked,
  atOnce: number,
): Promise<{ taken: number; count: number }> {
  const { store, clock, signal } = parts;
  const destination = { businessUnit: unit.slug, url: unit.webhook.url };
  const times = timesOf(parts);
  const { taken, silenced } = await store.transaction((tx) => takeDue(tx, destination, times, atOnce));
  for (const message of silenced) tell(parts, message);
  const recorded = await apart.each({
    // One that is left for a while is not due again before its lease is over.
    find: async () => taken,
    limit: atOnce,
    atOnce,
    about: ({ id, businessUnit }) => ({ messageId: id, businessUnit }),
    work: async (message) => {
      const delivery = await attempt(parts, unit.webhook, message);
      if (signal.aborted) return false;
      const now = clock.now();
      const after = await store.transaction((tx) => recordDelivery(tx, message, destination, delivery, now));
      if (after) tell(parts, after);
      return true;
    },
  });
  return { taken: silenced.length + taken.length, count: silenced.length + recorded };
}

function tell({ log, metrics }: DeliverParts, message: OutboxMessage): void {
  const { id: messageId, businessUnit, sessionId, requestId, traceparent } = message;
  const { status, attempts, lastError } = message;
  metrics?.webhook(status);
  if (status === 'delivered') return;
  const codes = [status, ...(lastError === undefined ? [] : [lastError])];
  log.warn('A webhook was not delivered', {
    job: 'deliver',
    messageId,
    businessUnit,
    ...given({ sessionId, requestId, traceparent }),
    count: attempts,
    codes,
  });
}

/** What cannot even be sent is an attempt in vain too: it has its turns, and is given up after the last. */
async function attempt(
  parts: DeliverParts,
  webhook: Webhooked['webhook'],
  message: OutboxMessage,
): Promise<Delivery> {
  try {
    return await deliver(parts, webhook, message);
  } catch (error) {
    const { name, code = name } = describeError(error);
    return { type: 'unreachable', reason: code };
  }
}

async function deliver(
  { env, signal, delivered }: DeliverParts,
  { url, secrets }: Webhooked['webhook'],
  message: OutboxMessage,
): Promise<Delivery> {
  // Receivers compare this with their own time, which a moved clock has no part in.
  const sentAt = new Date();
  const signatures = secrets.map((secret) => new Webhook(secret).sign(message.id, sentAt, message.body));
  const begun = performance.now();
  const delivery = await send({
    url,
    body: message.body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'embedded-sessions',
      'webhook-id': message.id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': signatures.join(' '),
      ...given({ traceparent: message.traceparent }),
    },
    publicOnly: env === 'production',
    signal,
    ...(delivered ? { answerBytes: ANSWER_BYTES } : {}),
  });
  delivered?.({
    messageId: message.id,
    ms: Math.round((performance.now() - begun) * 10) / 10,
    ...(delivery.type === 'answered' ? { status: delivery.status } : { error: delivery.reason }),
    ...(delivery.type === 'answered' && delivery.answer ? { answer: delivery.answer } : {}),
  });
  return delivery;
}
