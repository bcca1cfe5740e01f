/** 20 payments of one business unit behind 2,000 of another, with a processor that takes a second. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { API_KEY } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import type { StoreTx } from '../core/store.js';
import type { Attempt } from '../payments/rules/attempt.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { Refund } from '../refunds/rules.js';
import type { SchedulePageSession, ScheduledPayment } from '../shared/page.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { Jobs } from './jobs.js';

const LARGE = 2_000;
const SMALL = 20;
const DAY_MS = 86_400_000;
const SLUGS = ['large', 'small'];

let service: OpenTestService;
afterEach(() => service.close());

/** A processor whose calls take a second of a simulated clock. */
class SlowProcessor implements PaymentProcessor {
  /** The second in which each call began, by business unit. */
  readonly began: Readonly<Record<string, number[]>> = { large: [], small: [] };
  isSlow = false;
  #second = 0;
  #waiting: (() => void)[] = [];

  tokenize = async () => ({ token: 'tok', last4: '4242' });
  charge: PaymentProcessor['charge'] = ({ context }) => this.#answer(context.businessUnit);
  lookup: PaymentProcessor['lookup'] = (_, context) => this.#answer(context?.businessUnit ?? '');
  refund: NonNullable<PaymentProcessor['refund']> = ({ context }) => this.#answer(context.businessUnit);

  /** Ends a second once all available slots are in use. */
  async pass(): Promise<void> {
    const left = SMALL - (this.began['small']?.length ?? 0);
    await expect
      .poll(() => this.#waiting.length, { interval: 1 })
      .toBeGreaterThanOrEqual(8 + Math.min(left, 8));
    this.#second += 1;
    this.release();
  }

  release(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }

  async #answer(businessUnit: string): Promise<'succeeded'> {
    if (!this.isSlow) return 'succeeded';
    this.began[businessUnit]?.push(this.#second);
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return 'succeeded';
  }
}

type Fill = (slug: string, count: number) => Promise<void>;

/** Payments whose day is tomorrow. */
const scheduled: Fill = async (BusinessUnitSlug, count) => {
  const page = await open(service.fetch, 'schedule-payment', { BusinessUnitSlug });
  const { earliest: date } = await page.get<SchedulePageSession>();
  const { id: methodId } = await page.addMethod();
  const input = { requestId: randomUUID(), amount: 1, date, methodId };
  const { id } = await page.post<ScheduledPayment>('schedule', input);
  await service.deps.store.transaction(async (tx) => {
    const one = await tx.schedules.get(id);
    if (one === null) throw new Error('The first schedule is missing.');
    for (let place = 1; place < count; place++)
      await tx.schedules.insert({ ...one, id: `${id}_${place}`, requestId: randomUUID() });
  });
};

/** Copies a payment. */
async function copies(slug: string, copy: (tx: StoreTx, paid: Attempt) => Promise<unknown>): Promise<void> {
  const page = await open(service.fetch, 'payment', { BusinessUnitSlug: slug });
  await page.pay();
  await service.deps.store.transaction(async (tx) => {
    const [paid] = await tx.attempts.ofSession(page.id);
    if (paid === undefined) throw new Error('The first payment is missing.');
    await copy(tx, paid);
  });
}

/** Payments left behind by a crash. */
const unknown: Fill = (slug, count) =>
  copies(slug, async (tx, paid) => {
    for (let place = 0; place < count; place++) {
      const id = `${paid.id}_${place}`;
      await tx.attempts.insert({ ...paid, id, requestId: id, status: 'processing', dueAt: 1, lookups: 0 });
    }
  });

/** Refunds left behind by a crash. */
const refunds: Fill = (slug, count) =>
  copies(slug, async (tx, { id, businessUnit, createdAt }) => {
    const refund: Omit<Refund, 'id'> = {
      attemptId: id,
      businessUnit,
      createdAt,
      amount: 1,
      leftOver: 0,
      status: 'processing',
      dueAt: 1,
      lookups: 0,
    };
    for (let place = 0; place < count; place++)
      await tx.refunds.insert({ ...refund, id: `ref_${slug}_${place}` });
  });

it.each<[string, Fill]>([
  ['scheduled payments', scheduled],
  ['lookups', unknown],
  ['refunds', refunds],
])('R-97 begins 20 %s within five seconds, behind 2,000 of another business unit', async (_, fill) => {
  const processor = new SlowProcessor();
  service = await startTestService({
    processor,
    config: {
      businessUnits: SLUGS.map((slug) => ({ slug, name: slug })),
      apiKeys: [{ key: API_KEY, businessUnits: SLUGS }],
    },
  });
  await fill('large', LARGE);
  await fill('small', SMALL);
  service.deps.clock.offset = DAY_MS;
  processor.isSlow = true;
  const jobs = new Jobs(service.deps);
  const working = jobs.runDue();
  for (let second = 0; second < 5; second++) await processor.pass();
  const stopped = jobs.stop();
  processor.isSlow = false;
  processor.release();
  await Promise.all([working, stopped]);

  const { large, small } = processor.began;
  expect(small).toHaveLength(SMALL);
  expect(Math.max(...(small ?? []))).toBeLessThan(5);
  // As many as the limit for one business unit in each second.
  expect(large?.filter((second) => second < 5)).toHaveLength(40);
});
