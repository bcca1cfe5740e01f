import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { advanceTo } from '../../test/advance-to.js';
import { API_KEY, config, SLUG } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import type { SchedulePageSession, ScheduledPayment } from '../shared/page.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import { parseConfig } from '../platform/config/config.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';

const HOUR_MS = 3_600_000;
let services: OpenTestService[] = [];
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()));
  services = [];
});

async function start(
  businessUnit: Record<string, unknown>,
  processor?: PaymentProcessor,
): Promise<OpenTestService> {
  const service = await startTestService({
    config: config(businessUnit),
    ...(processor === undefined ? {} : { processor }),
  });
  services.push(service);
  return service;
}

const statuses = async ({ control }: OpenTestService, slug = SLUG): Promise<string[]> =>
  (await control.state(slug)).scheduledPayments.map(({ status }) => status);

async function schedule(service: OpenTestService, date: string): Promise<ScheduledPayment> {
  const page = await open(service.fetch, 'schedule-payment');
  const { id: methodId } = await page.addMethod();
  return page.schedule({ amount: 500, date, methodId });
}

describe('R-95 days begin in the time zone of the business unit', () => {
  it.each([
    // Clocks in New York go back on November 1, and forward on March 8.
    ['America/New_York', '2027-11-06T12:00:00Z', '2027-11-07', '2027-11-07T04:00:00Z'],
    ['America/New_York', '2027-11-06T12:00:00Z', '2027-11-08', '2027-11-08T05:00:00Z'],
    ['America/Los_Angeles', '2028-02-27T12:00:00Z', '2028-02-29', '2028-02-29T08:00:00Z'],
    ['Pacific/Auckland', '2027-12-30T12:00:00Z', '2028-01-01', '2027-12-31T11:00:00Z'],
  ])('in %s a scheduled payment is charged on its day', async (timeZone, now, date, begins) => {
    const service = await start({ timeZone });
    await advanceTo(service, now);
    await schedule(service, date);
    await advanceTo(service, Date.parse(begins) - 60_000);
    expect(await statuses(service)).toEqual(['scheduled']);
    await advanceTo(service, begins);
    expect(await statuses(service)).toEqual(['executed']);
  });

  it('offers dates from tomorrow and shows today in that zone', async () => {
    const service = await start({ timeZone: 'America/New_York' });
    await advanceTo(service, '2027-03-01T03:00:00Z');
    const page = await open(service.fetch, 'schedule-payment');
    expect(await page.get<SchedulePageSession>()).toMatchObject({
      today: '2027-02-28',
      earliest: '2027-03-01',
      latest: '2028-02-28',
    });
    await advanceTo(service, '2027-03-01T05:00:00Z');
    const later = await open(service.fetch, 'schedule-payment');
    expect(await later.get<SchedulePageSession>()).toMatchObject({ today: '2027-03-01' });
  });

  it('a changed zone moves the day and never charges early', async () => {
    const service = await start({ timeZone: 'UTC' });
    await advanceTo(service, '2027-05-01T12:00:00Z');
    await schedule(service, '2027-05-03');
    Object.assign(service.deps.config, parseConfig(config({ timeZone: 'America/Los_Angeles' }), 'staging'));
    await advanceTo(service, '2027-05-03T06:59:00Z');
    expect(await statuses(service)).toEqual(['scheduled']);
    Object.assign(service.deps.config, parseConfig(config({ timeZone: 'Europe/Paris' }), 'staging'));
    await service.control.advance(0);
    expect(await statuses(service)).toEqual(['executed']);
  });
});

it('R-97 a unit with 20 payments does not wait for eight units with a slow processor and 10 payments each', async () => {
  const slow = 'a b c d e f g h'.split(' ');
  const order: string[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const running = new Map<string, number>();
  let most = 0;
  const processor: PaymentProcessor = {
    tokenize: async () => ({ token: 'tok', last4: '4242' }),
    charge: async ({ context: { businessUnit } }) => {
      order.push(businessUnit);
      running.set(businessUnit, (running.get(businessUnit) ?? 0) + 1);
      most = Math.max(most, running.get(businessUnit) ?? 0);
      if (businessUnit !== 'small') await released;
      else if (order.filter((slug) => slug === 'small').length === 20) release();
      running.set(businessUnit, (running.get(businessUnit) ?? 0) - 1);
      return 'succeeded';
    },
    lookup: async () => 'never_seen',
  };
  const slugs = [...slow, 'small'];
  const service = await startTestService({
    processor,
    config: {
      businessUnits: slugs.map((slug) => ({ slug, name: slug })),
      apiKeys: [{ key: API_KEY, businessUnits: slugs }],
      processor: { concurrency: 12, perBusinessUnit: 4 },
      // Limits requests, not jobs.
      maxConnections: 10,
    },
  });
  services.push(service);
  const scheduleMany = async (BusinessUnitSlug: string, count: number): Promise<void> => {
    const page = await open(service.fetch, 'schedule-payment', { BusinessUnitSlug });
    const { earliest: date } = await page.get<SchedulePageSession>();
    const { id: methodId } = await page.addMethod();
    const { store } = service.deps;
    const first = await page.post<ScheduledPayment>('schedule', {
      requestId: randomUUID(),
      amount: 1,
      date,
      methodId,
    });
    await store.transaction(async (tx) => {
      const one = await tx.schedules.get(first.id);
      if (one === null) throw new Error('The first schedule is missing.');
      for (let place = 1; place < count; place++)
        await tx.schedules.insert({
          ...one,
          id: `sch_${BusinessUnitSlug}_${place}`,
          requestId: randomUUID(),
        });
    });
  };
  for (const slug of slow) await scheduleMany(slug, 10);
  await scheduleMany('small', 20);
  await service.control.advance(24 * HOUR_MS);
  // The rest begin only after the last one of `small`.
  expect(order.lastIndexOf('small')).toBeLessThan(20 + 12);
  expect(order).toHaveLength(100);
  expect(most).toBe(4);
  expect(new Set(await statuses(service, 'small'))).toEqual(new Set(['executed']));
});
