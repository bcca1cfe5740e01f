/**
 * Bills that are due on the next day: AutoPay on the due date, AutoPay charges with `ChargeOn`, and scheduled payments. Each
 * has its own amount, which identifies its charge at the processor.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { open } from '../../packages/service/test/payer.js';
import type { Gateway } from '../../packages/service/test/gateway.js';
import { BUSINESS_UNIT, type Service } from '../harness/index.js';

/** Bills of each kind that are due on one day. */
const BILLS = 5;
/** First amount, cents. */
const LEAST = 1_000;

export class Bills {
  readonly #service: Service;
  readonly #gateway: Gateway;
  /** Amounts of all bills so far, cents. */
  readonly due: number[] = [];

  /** @param service creates the sessions. Must be of the current release. */
  constructor(service: Service, gateway: Gateway) {
    this.#service = service;
    this.#gateway = gateway;
  }

  /** Enrolls the accounts. */
  async enroll(): Promise<void> {
    for (const kind of ['due', 'set'])
      for (let place = 0; place < BILLS; place++) {
        const page = await this.#open('autopay', { ClientAccount: { AccountNumber: `${kind}-${place}` } });
        const { id: methodId } = await page.addMethod();
        await page.post('autopay/enroll', { methodId });
      }
  }

  /** Creates bills that are due tomorrow, by the service's clock. */
  async write(): Promise<void> {
    const page = await this.#open('schedule-payment', { ClientAccount: { AccountNumber: 'scheduled' } });
    const { earliest: date } = await page.get<{ earliest: string }>();
    const { id: methodId } = await page.addMethod();
    for (let place = 0; place < BILLS; place++) {
      const account = { AccountNumber: `due-${place}`, DueDate: date, Balance: this.#amount() };
      await this.#open('autopay', { ClientAccount: account });
      const charge = { AccountNumber: `set-${place}`, Amount: this.#amount(), ChargeOn: date };
      const { status, body } = await this.#service.post('/integrations/autopay/charge', {
        BusinessUnitSlug: BUSINESS_UNIT,
        ClientReference: randomUUID(),
        ...charge,
      });
      expect([status, body]).toMatchObject([200, { data: { Status: 'Scheduled' } }]);
      await page.schedule({ amount: this.#amount(), date, methodId });
    }
  }

  /** Amounts that the processor has charged, cents. */
  charged(): number[] {
    return this.#gateway.charges.map(({ amount }) => amount).filter((amount) => amount > LEAST);
  }

  #amount(): number {
    const amount = LEAST + this.due.length + 1;
    this.due.push(amount);
    return amount;
  }

  #open(flow: 'autopay' | 'schedule-payment', body: { ClientAccount: Record<string, unknown> }) {
    const { url, apiKey } = this.#service;
    const fetchFrom = (path: string, init: RequestInit = {}): Promise<Response> => {
      const headers = { ...(init.headers as Record<string, string>) };
      if ('x-service-api-key' in headers) headers['x-service-api-key'] = apiKey;
      return fetch(new URL(path, url), { ...init, headers });
    };
    return open(fetchFrom, flow, { ...body, ClientAccount: { Name: 'Dana Reyes', ...body.ClientAccount } });
  }
}

/** On each of `days`, kills a process while it charges due bills. Then checks that every bill was charged once. */
export async function chargeThroughKills(
  services: readonly Service[],
  gateway: Gateway,
  random: () => number,
  days: number,
): Promise<Bills> {
  const [creator] = services;
  if (creator === undefined) throw new Error('No service was given.');
  const bills = new Bills(creator, gateway);
  await bills.enroll();
  for (let day = 0; day < days; day++) {
    await bills.write();
    const before = bills.charged().length;
    // The process that is killed may be the one that moves the clock.
    const moved = creator.control.advance('24h').catch(() => undefined);
    const count = before + 1 + Math.floor(random() * 2 * BILLS);
    await expect.poll(() => bills.charged().length, { interval: 5 }).toBeGreaterThanOrEqual(count);
    const victim = services[day % services.length]!;
    await victim.kill();
    await victim.restart();
    await moved;
    await expect
      .poll(async () => {
        // Moves past the lease of charges that the killed process had started.
        await creator.control.advance('30s');
        return bills.charged().length;
      })
      .toBeGreaterThanOrEqual(bills.due.length);
    // They are looked up and must not be charged again.
    await creator.control.advance('1h');
    expect(bills.charged().toSorted((a, b) => a - b)).toEqual(bills.due);
  }
  return bills;
}
