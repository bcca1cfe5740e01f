import { setImmediate as nextTurn } from 'node:timers/promises';
// Processor calls and retries, as seen in the ledger, on the payer's page and in the log.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { config, SLUG } from '../../test/merchant.js';
import { losing } from '../../test/losing.js';
import { BANK, CARD, open, type Payer } from '../../test/payer.js';
import type { Attempt } from '../payments/rules/attempt.js';
import { CHARGE_LEASE_MS } from './rules/operation.js';
import type { LookupOutcome, PaymentProcessor } from './rules/port.js';
import { beginPayment, settlePayment } from '../payments/attempts.js';
import { beginRefund, settleRefund } from '../refunds/begin-refund.js';
import type { Log } from '../platform/log/log.js';
import type { LogFields } from '../platform/log/fields.js';
import type { PaymentSession } from '../sessions/rules/session.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { MAX_CALL_WAIT_MS } from './calls.js';
import { WaitingRequests } from './waiting.js';
import { Charging } from '../payments/charging.js';
import { Refunding } from '../refunds/refunding.js';

let service: OpenTestService;
let written: { level: string; message: string; fields?: LogFields }[];
let paid: string[];
let failed: string[];
beforeEach(async () => {
  service = await startTestService({ config: config() });
  written = [];
  paid = [];
  failed = [];
});
afterEach(async () => {
  vi.useRealTimers();
  for (const { message } of written) expect(message).toMatch(/\w \w/);
  await service.close();
});

/** A processor whose calls the test resolves one by one. */
function waiting() {
  const charges: { id: string; resolve: (outcome: unknown) => void; fail: (error: Error) => void }[] = [];
  const lookups: string[] = [];
  const processor: PaymentProcessor = {
    tokenize: () => Promise.reject(new Error('not called in this test')),
    charge: ({ attemptId: id }) =>
      new Promise((resolve, fail) =>
        charges.push({ id, resolve: resolve as (outcome: unknown) => void, fail }),
      ),
    lookup: async (id) => {
      lookups.push(id);
      return 'succeeded';
    },
  };
  return { charges, lookups, processor };
}

/** Another process that shares only the database and the clock. */
const process = (processor: PaymentProcessor, clock?: { now(): number }): Charging =>
  new Charging(partsOf(processor, clock));

function partsOf(processor: PaymentProcessor, clock: { now(): number } = service.deps.clock) {
  const hear =
    (level: string) =>
    (message: string, fields?: LogFields): void =>
      void written.push({ level, message, ...(fields && { fields }) });
  const log = { info: hear('info'), warn: hear('warn'), error: hear('error') };
  const metrics = {
    payment: (outcome: string) => void paid.push(outcome),
    jobFailed: (job: string) => void failed.push(job),
  };
  return { ...service.deps, processor, clock, log, metrics };
}

/** Submits a payment like a page does. */
async function sent(requestId = 'attempt-1', authorization: string | null = null) {
  const page = await open(service.fetch, 'payment');
  const { store, clock, newId } = service.deps;
  const method = authorization === null ? 'Credit Card' : 'ACH';
  const source = { method, token: 'tok', last4: '4242', holder: 'Ada', save: false } as const;
  const input = {
    session: (await store.read((tx) => tx.sessions.get(page.id))) as PaymentSession,
    requestId,
    source,
    charges: [{ index: 0, amount: 12_345 }],
    total: 12_345,
    fields: {},
    authorization,
  };
  return () =>
    store.transaction((tx) =>
      beginPayment(tx, { ...input, id: newId('pay_') }, { now: clock.now(), newId, timeZone: 'UTC' }),
    );
}

/** A committed attempt that has not been charged. */
async function started(requestId?: string): Promise<Attempt> {
  const response = await (await sent(requestId))();
  if (!response.ok) throw new Error(response.code);
  return response.value.attempt;
}

const stored = async (id: string): Promise<Attempt | null> =>
  service.deps.store.read((tx) => tx.attempts.get(id));

const fakeTimers = (): unknown =>
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });

/** Advances the service's clock and the process's timers. */
async function pass(ms: number): Promise<void> {
  const { clock } = service.deps;
  for (let left = ms; left > 0; left -= 1_000) {
    clock.offset = clock.now() - Date.now() + 1_000;
    await vi.advanceTimersByTimeAsync(1_000);
    // The timers start writes to a real database.
    await service.deps.store.transaction(async () => undefined);
  }
}

describe('R-44 a charge in flight', () => {
  it('R-91 keeps few requests waiting for one charge', async () => {
    const { charges, processor } = waiting();
    const attempt = await started();
    const charging = process(processor);
    const first = charging.callAndWait(attempt, 3_600_000);
    const repeated = Array.from({ length: 10 }, () => charging.wait(attempt, 3_600_000));
    let answered = 0;
    for (const response of repeated) void response.then(() => answered++);
    await expect.poll(() => answered).toBe(7);
    charges[0]?.resolve('succeeded');
    const statuses = (await Promise.all([first, ...repeated])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(4);
    expect(await charging.wait(attempt)).toMatchObject({ status: 'processing' });
  });

  it('R-91 continues while too many others wait for a response', async () => {
    const { charges, processor } = waiting();
    const limit = new WaitingRequests({ maxConnections: 10 });
    const charging = new Charging({ ...service.deps, waiting: limit, processor });
    const attempts = await Promise.all([started(), started(), started(), started()]);
    const responses = attempts.map((attempt) => charging.callAndWait(attempt, 3_600_000));
    expect(await responses[3]).toMatchObject({ status: 'processing' });
    await expect.poll(() => charges).toHaveLength(4);
    for (const charge of charges) charge.resolve('succeeded');
    await charging.idle();
    expect(await Promise.all(attempts.map(({ id }) => stored(id)))).toMatchObject(
      attempts.map(() => ({ status: 'succeeded' })),
    );
    await Promise.all(responses);
  });

  it('R-91 R-97 is made by the job if 500 others of its business unit are in flight', async () => {
    const { charges, lookups, processor } = waiting();
    const limit = new WaitingRequests({ maxConnections: 10_000 });
    const charging = new Charging({ ...service.deps, waiting: limit, processor });
    const attempt = await started();
    const others = (businessUnit: string) =>
      Array.from({ length: 500 }, (_, index) => ({
        ...attempt,
        id: `${businessUnit}_${index}`,
        businessUnit,
      }));
    const hung = ['gas', 'power', SLUG].flatMap(others);
    const responses = hung.map((other) => charging.callAndWait(other, 3_600_000));
    await expect.poll(() => charges).toHaveLength(1_500);
    expect(await charging.callAndWait(attempt, 3_600_000)).toEqual(attempt);
    expect(await charging.wait({ ...attempt, dueAt: 0 })).toMatchObject({ status: 'processing' });
    expect([charges.length, lookups.length]).toEqual([1_500, 0]);
    // Joins a call that is running, so it needs no place.
    const joined = charging.wait({ ...attempt, id: 'gas_0', businessUnit: 'gas' }, 3_600_000);
    expect(await Promise.race([joined, nextTurn('running')])).toBe('running');

    for (const charge of charges.splice(0)) charge.resolve('declined');
    await Promise.all([...responses, joined]);
    const later = charging.callAndWait({ ...attempt, id: 'gas_500', businessUnit: 'gas' }, 3_600_000);
    await expect.poll(() => charges).toHaveLength(1);
    charges[0]?.resolve('declined');
    await later;
    service.deps.clock.offset += CHARGE_LEASE_MS;
    await charging.handleDue(SLUG);
    expect(lookups).toEqual([attempt.id]);
  });

  it('belongs to its process while it runs, and to another ten seconds after the first dies', async () => {
    const { charges, lookups, processor } = waiting();
    const attempt = await started();
    fakeTimers();
    const first = process(processor);
    const response = first.callAndWait(attempt, 3_600_000);
    const second = process(processor);
    for (let seconds = 0; seconds < 45; seconds += 5) {
      await pass(5_000);
      expect(await second.handleDue(SLUG)).toBe(0);
    }
    charges[0]?.resolve('succeeded');
    expect(await response).toMatchObject({ status: 'succeeded' });
    expect([charges.length, lookups.length]).toEqual([1, 0]);
    expect(paid).toEqual(['succeeded']);
    // The lease is no longer renewed.
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is looked up if its commit outlasts its lease', async () => {
    const { charges, lookups, processor } = waiting();
    const attempt = await started();
    const late = { now: () => service.deps.clock.now() + CHARGE_LEASE_MS };
    expect(await process(processor, late).callAndWait(attempt)).toMatchObject({ status: 'succeeded' });
    expect([charges, lookups]).toEqual([[], [attempt.id]]);
  });

  it('R-62 is not sent by a process that was suspended for a minute after its commit', async () => {
    const attempt = await started();
    const { charges, processor } = waiting();
    const times = [attempt.createdAt];
    const resumed = { now: () => times.pop() ?? attempt.createdAt + 60_001 };
    expect(await process(processor, resumed).callAndWait(attempt)).toMatchObject({ status: 'processing' });
    expect(charges).toEqual([]);
    expect(written).toMatchObject([{ level: 'warn', fields: { error: { code: 'too_late' } } }]);
  });

  it.each(['dies', 'gets no response'])(
    'R-62 is not declared unsent for two minutes if the process that repeats it %s',
    async (what) => {
      const attempt = await started();
      const { charges, processor } = waiting();
      const lookup = vi.fn(async () => 'never_seen' as const);
      const at = (now: number) => process({ ...processor, lookup }, { now: () => now });
      const repeatedAt = attempt.createdAt + 120_000;
      const repeated = at(repeatedAt).handleDue(SLUG);
      await expect.poll(() => charges).toHaveLength(1);
      if (what === 'gets no response') {
        charges[0]?.fail(new Error('lost'));
        await repeated;
      }
      expect(await at(repeatedAt + 119_000).handleDue(SLUG)).toBe(1);
      expect(lookup).toHaveBeenCalledTimes(2);
      expect(charges).toHaveLength(1);
      expect(await stored(attempt.id)).toMatchObject({ status: 'processing' });
      charges[0]?.resolve('succeeded');
      await repeated;
    },
  );

  it('R-62 is not sent again if an event settles it during its lookup', async () => {
    const attempt = await started();
    const { charges, processor } = waiting();
    const { store, clock, newId } = service.deps;
    clock.offset = 120_000;
    const context = { now: clock.now(), newId, config: { businessUnits: [] } };
    const lookup = async () => {
      await store.transaction((tx) => settlePayment(tx, attempt, { outcome: 'declined' }, context));
      return 'never_seen' as const;
    };
    const charging = process({ ...processor, lookup });
    expect(await charging.handleDue(SLUG)).toBe(1);
    expect(charges).toEqual([]);
    expect(await stored(attempt.id)).toMatchObject({ status: 'declined' });
  });

  it('is taken over only after its lease expires', async () => {
    const { lookups, processor } = waiting();
    const attempt = await started();
    const { clock } = service.deps;
    expect(attempt.dueAt).toBe(attempt.createdAt + CHARGE_LEASE_MS);
    const at = (now: number) => process(processor, { now: () => now });
    expect(await at(attempt.createdAt + CHARGE_LEASE_MS - 1).handleDue(SLUG)).toBe(0);
    expect(lookups).toEqual([]);
    const due = attempt.createdAt + CHARGE_LEASE_MS;
    const settled = await Promise.all([at(due).handleDue(SLUG), at(due).handleDue(SLUG)]);
    expect(settled.filter((count) => count === 1)).toHaveLength(1);
    expect(settled.filter((count) => count === 0)).toHaveLength(1);
    expect(lookups).toEqual([attempt.id]);
    expect(await stored(attempt.id)).toMatchObject({ status: 'succeeded' });
    expect(clock.now()).toBeLessThan(due);
  });

  it('does not block others, even if many are in flight and due', async () => {
    const { charges, lookups, processor } = waiting();
    let now = service.deps.clock.now();
    const busy = process(processor, { now: () => now });
    const pending = [];
    for (let count = 0; count < 8; count++) pending.push(busy.callAndWait(await started()));
    const left = await started();
    await expect.poll(() => charges.length).toBe(8);
    now += 2 * CHARGE_LEASE_MS;
    expect(await busy.handleDue(SLUG)).toBe(1);
    expect(lookups).toEqual([left.id]);
    for (const { resolve } of charges) resolve('succeeded');
    await Promise.all(pending);
  });

  it('returns the decline to a repeated request instead of charging again', async () => {
    const { charges, processor } = waiting();
    const begin = await sent();
    const first = await begin();
    if (!first.ok) throw new Error(first.code);
    const response = process(processor).callAndWait(first.value.attempt);
    await expect.poll(() => charges.length).toBe(1);
    charges[0]?.resolve('declined');
    const declined = await response;
    expect(declined.status).toBe('declined');
    expect(await begin()).toEqual({ ok: true, value: { attempt: declined, isNew: false } });
  });

  it('R-73 stores the authorization once for a repeated request', async () => {
    const { charges, processor } = waiting();
    const begin = await sent('attempt-1', 'I authorize it.');
    const first = await begin();
    if (!first.ok) throw new Error(first.code);
    const response = process(processor).callAndWait(first.value.attempt);
    await expect.poll(() => charges.length).toBe(1);
    charges[0]?.resolve('declined');
    await response;
    expect(await begin()).toMatchObject({ ok: true, value: { isNew: false } });
    const { authorizations } = await service.control.state(SLUG);
    expect(authorizations).toMatchObject([{ text: 'I authorize it.' }]);
  });

  it('renews its lease long before it ends', async () => {
    const { charges, processor } = waiting();
    const attempt = await started();
    fakeTimers();
    const response = process(processor).callAndWait(attempt);
    await pass(5_000);
    const leased = (await stored(attempt.id))?.dueAt ?? 0;
    expect(leased - (attempt.dueAt ?? 0)).toBeGreaterThan(3_000);
    charges[0]?.resolve('succeeded');
    await response;
  });

  it('is logged and looked up later if neither lease nor outcome can be stored', async () => {
    const { charges, lookups, processor } = waiting();
    const attempt = await started();
    fakeTimers();
    const { store } = service.deps;
    const away = vi.spyOn(store, 'transaction').mockRejectedValue(new Error('away'));
    const response = process(processor).callAndWait(attempt);
    await vi.advanceTimersByTimeAsync(CHARGE_LEASE_MS / 2);
    charges[0]?.resolve('succeeded');
    expect(await response).toEqual(attempt);
    away.mockRestore();
    const about = { sessionId: attempt.sessionId, paymentId: attempt.id, error: { message: 'away' } };
    expect(written).toMatchObject([
      { level: 'warn', message: expect.stringContaining('lease') as string, fields: about },
      { level: 'warn', fields: { operation: 'charge' } },
      { level: 'error', message: expect.stringContaining('Could not record') as string, fields: about },
    ]);
    service.deps.clock.offset = CHARGE_LEASE_MS;
    expect(await process(processor).handleDue(SLUG)).toBe(1);
    expect([charges.length, lookups.length]).toEqual([1, 1]);
    expect(await stored(attempt.id)).toMatchObject({ status: 'succeeded' });
  });

  it('is awaited by repeated requests and not looked up after it settles', async () => {
    const { charges, lookups, processor } = waiting();
    const attempt = await started();
    const charging = process(processor);
    const response = charging.callAndWait(attempt);
    await expect.poll(() => charges).toHaveLength(1);
    const followed = charging.wait(attempt);
    charges[0]?.resolve('succeeded');
    expect(await followed).toMatchObject({ status: 'succeeded' });
    expect(await response).toMatchObject({ status: 'succeeded' });
    // A stale copy, as another process read it.
    service.deps.clock.offset = CHARGE_LEASE_MS;
    await process(processor).wait(attempt);
    expect(lookups).toEqual([]);
    expect((await stored(attempt.id))?.dueAt).toBeUndefined();
  });

  it('is looked up if its commit takes as long as its lease', async () => {
    const { charges, lookups, processor } = waiting();
    const attempt = await started();
    const now = (): number => attempt.dueAt ?? 0;
    expect(await process(processor, { now }).callAndWait(attempt)).toMatchObject({ status: 'succeeded' });
    expect([charges, lookups]).toEqual([[], [attempt.id]]);
  });

  it('is not looked up by a repeated request while another process does so', async () => {
    const { lookups, processor } = waiting();
    const attempt = await started();
    service.deps.clock.offset = CHARGE_LEASE_MS;
    let goOn = (): void => undefined;
    const lookup = vi.fn(() => new Promise<'pending'>((resolve) => (goOn = () => resolve('pending'))));
    const settling = process({ ...processor, lookup }).handleDue(SLUG);
    await expect.poll(() => lookup).toHaveBeenCalled();
    // A stale copy, from when its lease expired.
    expect(await process(processor).wait(attempt)).toEqual(attempt);
    expect(lookups).toEqual([]);
    goOn();
    expect(await settling).toBe(1);
  });

  it('runs once per process and is not looked up while it runs', async () => {
    const { charges, lookups, processor } = waiting();
    const attempt = await started();
    const charging = process(processor);
    const responses = [charging.callAndWait(attempt), charging.callAndWait(attempt)];
    await expect.poll(() => charges).toHaveLength(1);
    service.deps.clock.offset = 3_600_000;
    expect(await charging.handleDue(SLUG)).toBe(0);
    charges[0]?.resolve('declined');
    for (const response of responses) expect(await response).toMatchObject({ status: 'declined' });
    expect([charges.length, lookups.length]).toEqual([1, 0]);
  });

  it.each(['declined', 'succeeded'])(
    'keeps the outcome that another process found, even if it finally returns %s',
    async (last) => {
      const { charges, lookups, processor } = waiting();
      const attempt = await started();
      let now = service.deps.clock.now();
      const clock = { now: () => now };
      const first = process(processor, clock);
      const response = first.callAndWait(attempt);
      await expect.poll(() => charges).toHaveLength(1);
      // The process stalled and did not renew the lease.
      now = attempt.dueAt ?? 0;
      expect(await process(processor, clock).handleDue(SLUG)).toBe(1);
      expect(await stored(attempt.id)).toMatchObject({ status: 'succeeded' });
      const settled = await stored(attempt.id);
      // In the same millisecond and later.
      if (last === 'succeeded') now += 1_000;
      charges[0]?.resolve(last);
      expect(await response).toEqual(settled);
      expect(await stored(attempt.id)).toEqual(settled);
      expect(lookups).toEqual([attempt.id]);
      // Counted once, even if reported several times.
      expect(paid).toEqual(['succeeded']);
      const session = await service.deps.store.read((tx) => tx.sessions.get(attempt.sessionId));
      expect(session).toMatchObject({ status: 'Succeeded', declines: 0 });
    },
  );

  it('keeps the outcome that another process found, even if it finally fails', async () => {
    const { charges, processor } = waiting();
    const attempt = await started();
    const response = process(processor).callAndWait(attempt);
    await expect.poll(() => charges).toHaveLength(1);
    service.deps.clock.offset = CHARGE_LEASE_MS;
    expect(await process(processor).handleDue(SLUG)).toBe(1);
    const settled = await stored(attempt.id);
    expect(settled).toMatchObject({ status: 'succeeded' });
    charges[0]?.fail(new Error('down'));
    expect(await response).toEqual(settled);
    expect(await stored(attempt.id)).toEqual(settled);
  });

  it('makes its payer wait at most 15 seconds, and is recorded when it ends', async () => {
    const { charges, processor } = waiting();
    const attempt = await started();
    fakeTimers();
    const charging = process(processor);
    let result: Attempt | undefined;
    void charging.callAndWait(attempt).then((response) => (result = response));
    await pass(MAX_CALL_WAIT_MS - 1_000);
    expect(result).toBeUndefined();
    await pass(1_000);
    expect(result).toMatchObject({ status: 'processing' });
    let idle = false;
    const ended = charging.idle().then(() => (idle = true));
    await pass(1_000);
    expect(idle).toBe(false);
    charges[0]?.resolve('succeeded');
    await ended;
    expect(await stored(attempt.id)).toMatchObject({ status: 'succeeded' });
  });

  it('is looked up after a minute without a response', async () => {
    const { charges, lookups, processor } = waiting();
    const attempt = await started();
    fakeTimers();
    const charging = process(processor);
    void charging.callAndWait(attempt);
    await pass(59_000);
    expect(await stored(attempt.id)).toMatchObject({ lookups: 0 });
    await pass(1_000);
    await charging.idle();
    const { dueAt = 0 } = (await stored(attempt.id)) ?? {};
    expect(await stored(attempt.id)).toMatchObject({ status: 'processing', lookups: 1 });
    expect(paid).toEqual(['unknown']);
    const error = { code: 'processor_timeout', message: expect.stringMatching(/\w \w/) as string };
    expect(written).toMatchObject([{ level: 'warn', fields: { operation: 'charge', error } }]);
    service.deps.clock.offset = dueAt - Date.now();
    expect(await charging.handleDue(SLUG)).toBe(1);
    expect([charges.length, lookups]).toEqual([1, [attempt.id]]);
    expect(await stored(attempt.id)).toMatchObject({ status: 'succeeded' });
    expect(paid).toEqual(['unknown', 'succeeded']);
  });
});

describe('R-44 due payments', () => {
  it('are processed eight at a time', async () => {
    const { lookups, processor } = waiting();
    for (let count = 0; count < 10; count++) await started(`attempt-${count}`);
    service.deps.clock.offset = CHARGE_LEASE_MS;
    const charging = process(processor);
    expect(await charging.handleDue(SLUG)).toBe(8);
    expect(await charging.handleDue(SLUG)).toBe(2);
    expect(await charging.handleDue(SLUG)).toBe(0);
    expect(new Set(lookups).size).toBe(10);
  });

  it('are skipped if they have settled since', async () => {
    const { charges, lookups, processor } = waiting();
    const attempt = await started();
    const charging = process(processor);
    const response = charging.callAndWait(attempt);
    await expect.poll(() => charges).toHaveLength(1);
    charges[0]?.resolve('succeeded');
    await response;
    service.deps.clock.offset = 3_600_000;
    expect(await process(processor).handleDue(SLUG)).toBe(0);
    expect(lookups).toEqual([]);
    expect((await stored(attempt.id))?.dueAt).toBeUndefined();
  });
});

describe('R-62 the log of a processor that', () => {
  const NUMBER = '4242424242424242';
  const own = Object.assign(new Error(`no such card ${NUMBER} of Ada`), {
    name: 'GatewayError',
    code: 'E42',
  });

  it('fails has the error and its code, but not its message, which may contain a card number', async () => {
    const { charges, processor } = waiting();
    const attempt = await started();
    const charging = process(processor);
    const response = charging.callAndWait(attempt);
    await expect.poll(() => charges).toHaveLength(1);
    charges[0]?.fail(own);
    expect(await response).toMatchObject({ status: 'processing', lookups: 1 });
    expect(written).toMatchObject([
      {
        level: 'warn',
        fields: {
          operation: 'charge',
          sessionId: attempt.sessionId,
          error: { name: 'GatewayError', code: 'E42', message: expect.stringMatching(/\w \w/) as string },
        },
      },
    ]);
    const log = JSON.stringify(written);
    for (const word of [NUMBER, 'Ada', 'no such card']) expect(log).not.toContain(word);
    expect(paid).toEqual(['unknown']);
  });

  it('fails a lookup names the operation', async () => {
    const attempt = await started();
    service.deps.clock.offset = CHARGE_LEASE_MS;
    const { processor } = waiting();
    await process({ ...processor, lookup: () => Promise.reject(own) }).handleDue(SLUG);
    expect(written).toMatchObject([
      { level: 'warn', fields: { operation: 'lookup', paymentId: attempt.id, error: { code: 'E42' } } },
    ]);
    expect([paid, failed]).toEqual([[], ['settle']]);
  });

  it('returns an invalid lookup response says so', async () => {
    const attempt = await started();
    service.deps.clock.offset = CHARGE_LEASE_MS;
    const { processor } = waiting();
    await process({ ...processor, lookup: async () => 'settled' as never }).handleDue(SLUG);
    expect(written).toMatchObject([
      {
        level: 'error',
        message: 'The processor returned an invalid outcome',
        fields: { operation: 'lookup', paymentId: attempt.id, sessionId: attempt.sessionId },
      },
    ]);
    expect(await stored(attempt.id)).toMatchObject({ status: 'processing', lookups: 1 });
    expect([paid, failed]).toEqual([[], ['settle']]);
  });

  it('repeats a pending outcome before success counts each outcome once', async () => {
    const { charges, processor } = waiting();
    const attempt = await started();
    let outcome: 'pending' | 'succeeded' = 'pending';
    const charging = process({ ...processor, lookup: async () => outcome });
    const response = charging.callAndWait(attempt);
    await expect.poll(() => charges).toHaveLength(1);
    charges[0]?.resolve('pending');
    expect(await response).toMatchObject({ status: 'pending' });
    for (const days of [3, 6]) {
      service.deps.clock.offset = days * 86_400_000;
      expect(await charging.handleDue(SLUG)).toBe(1);
    }
    expect(await stored(attempt.id)).toMatchObject({ status: 'pending' });
    expect(paid).toEqual(['pending']);
    outcome = 'succeeded';
    service.deps.clock.offset = 10 * 86_400_000;
    expect(await charging.handleDue(SLUG)).toBe(1);
    expect(paid).toEqual(['pending', 'succeeded']);
  });

  it('returns an invalid outcome says so, before a retry five seconds later', async () => {
    const { charges, lookups, processor } = waiting();
    const attempt = await started();
    const charging = process(processor);
    const response = charging.callAndWait(attempt);
    await expect.poll(() => charges).toHaveLength(1);
    charges[0]?.resolve('settled');
    const after = await response;
    expect(after).toMatchObject({ status: 'processing', lookups: 1 });
    expect((after.dueAt ?? 0) - service.deps.clock.now()).toBeGreaterThan(3_000);
    expect((after.dueAt ?? 0) - service.deps.clock.now()).toBeLessThanOrEqual(5_000);
    expect(written).toMatchObject([
      {
        level: 'error',
        message: expect.stringMatching(/\w/),
        fields: { operation: 'charge', sessionId: attempt.sessionId },
      },
    ]);
    service.deps.clock.offset = 5_000;
    expect(await charging.handleDue(SLUG)).toBe(1);
    expect([charges.length, lookups.length]).toEqual([1, 1]);
  });
});

it('R-62 logs and counts failed and invalid refund responses', async () => {
  const page = await open(service.fetch, 'payment');
  await page.pay();
  const { store, clock } = service.deps;
  const [payment] = await store.read((tx) => tx.attempts.ofSession(page.id));
  const input = { id: 'ref_1', businessUnit: SLUG, paymentId: payment?.id ?? '', canRefund: true };
  await store.transaction((tx) => beginRefund(tx, { ...input, amount: 100 }, clock.now()));
  clock.offset = CHARGE_LEASE_MS;
  const warn = vi.fn<Log['warn']>();
  const log: Log = { info: () => undefined, warn, error: () => undefined };
  const metrics = partsOf(waiting().processor).metrics;
  const processor = { ...waiting().processor, refund: () => Promise.reject(new Error('closed')) };
  expect(await new Refunding({ ...service.deps, log, metrics, processor }).handleDue(SLUG)).toBe(1);
  expect(warn.mock.calls).toMatchObject([
    [expect.any(String), { operation: 'refund', sessionId: page.id, paymentId: payment?.id }],
  ]);
  expect(await store.read((tx) => tx.refunds.list(SLUG))).toMatchObject([{ status: 'processing' }]);
  const odd = { ...processor, refund: async () => 'given back' as never };
  const error = vi.fn<Log['error']>();
  clock.offset = CHARGE_LEASE_MS + 60_000;
  const asking = new Refunding({ ...service.deps, log: { ...log, error }, metrics, processor: odd });
  expect(await asking.handleDue(SLUG)).toBe(1);
  expect(error.mock.calls).toMatchObject([
    [expect.stringContaining('invalid outcome'), { operation: 'refund' }],
  ]);
  expect(failed).toEqual(['refund', 'refund']);
  // A pending payment is looked up again after an hour.
  clock.offset = CHARGE_LEASE_MS + 120_000;
  const pending = { ...processor, refund: async () => 'pending' as const };
  const began = clock.now();
  expect(await new Refunding({ ...service.deps, log, processor: pending }).handleDue(SLUG)).toBe(1);
  const [refund] = await store.read((tx) => tx.refunds.list(SLUG));
  expect(refund).toMatchObject({ status: 'pending' });
  expect(refund?.dueAt).toBeGreaterThanOrEqual(began + 3_600_000);
});

describe('R-80 a refund', () => {
  const begin = async () => {
    const page = await open(service.fetch, 'payment');
    await page.pay();
    const { store, clock } = service.deps;
    const [payment] = await store.read((tx) => tx.attempts.ofSession(page.id));
    const input = { id: 'ref_1', businessUnit: SLUG, paymentId: payment!.id, canRefund: true };
    const refund = await store.transaction((tx) => beginRefund(tx, input, clock.now()));
    const context = { now: clock.now(), newId: service.deps.newId, config: service.deps.config };
    return { payment: payment!, refund, store, context };
  };

  it('is not sent once the bank has returned the payment', async () => {
    const { payment, refund, store, context } = await begin();
    await store.transaction((tx) => settlePayment(tx, payment, { outcome: 'returned' }, context));
    const send = vi.fn<NonNullable<PaymentProcessor['refund']>>(async () => 'succeeded');
    const refunding = new Refunding(partsOf({ ...waiting().processor, refund: send }));
    expect(await refunding.callAndWait(refund)).toMatchObject({ status: 'processing' });
    expect(send).not.toHaveBeenCalled();
    expect(written).toMatchObject([{ level: 'error', fields: { refundId: 'ref_1' } }]);
  });

  it('keeps its unknown outcome and reports it if the bank has returned the payment after a call', async () => {
    const { payment, store, context } = await begin();
    await store.transaction((tx) => settlePayment(tx, payment, { outcome: 'returned' }, context));
    service.deps.clock.offset = CHARGE_LEASE_MS;
    const parts = partsOf({ ...waiting().processor, refund: async () => 'succeeded' });
    const jobFailed = vi.spyOn(parts.metrics, 'jobFailed');
    expect(await new Refunding(parts).handleDue(SLUG)).toBe(1);
    expect(await store.read((tx) => tx.refunds.list(SLUG))).toMatchObject([
      { status: 'processing', lookups: 1 },
    ]);
    expect(written).toMatchObject([{ level: 'error', fields: { paymentId: payment.id, refundId: 'ref_1' } }]);
    expect(jobFailed).toHaveBeenCalledWith('refund');
  });

  it('R-102 logs an answer that contradicts an earlier event', async () => {
    const { payment, refund, store, context } = await begin();
    const send = async () => {
      const settling = { id: refund.id, sessionId: payment.sessionId };
      await store.transaction((tx) => settleRefund(tx, settling, { outcome: 'failed' }, context));
      return 'succeeded' as const;
    };
    const refunding = new Refunding(partsOf({ ...waiting().processor, refund: send }));
    expect(await refunding.callAndWait(refund)).toMatchObject({ status: 'failed' });
    expect(written).toMatchObject([
      { level: 'error', fields: { paymentId: payment.id, outcome: 'succeeded' } },
    ]);
  });
});

it('R-44 records a charge once, even if the COMMIT response is lost', async () => {
  const attempt = await started();
  const { charges, processor } = waiting();
  const charging = new Charging({ ...service.deps, processor, store: losing(service.deps.store) });
  const response = charging.callAndWait(attempt);
  await expect.poll(() => charges).toHaveLength(1);
  charges[0]?.resolve('succeeded');
  expect(await response).toMatchObject({ status: 'succeeded' });
  const session = await service.deps.store.read((tx) => tx.sessions.get(attempt.sessionId));
  expect(session).toMatchObject({ status: 'Succeeded' });
});

it('R-80 records and announces a refund once, even if the COMMIT response is lost', async () => {
  const page = await open(service.fetch, 'payment');
  await page.pay();
  const { store, clock } = service.deps;
  const [payment] = await store.read((tx) => tx.attempts.ofSession(page.id));
  const input = { id: 'ref_1', businessUnit: SLUG, paymentId: payment?.id ?? '', canRefund: true };
  const refund = await store.transaction((tx) => beginRefund(tx, input, clock.now()));
  const refunding = new Refunding({ ...service.deps, store: losing(store) });
  expect(await refunding.callAndWait(refund)).toMatchObject({ status: 'succeeded' });
  const messages = await store.read((tx) => tx.outbox.list(SLUG));
  expect(messages.filter(({ type }) => type === 'refund.succeeded')).toHaveLength(1);
});

describe('R-44 without a processor', () => {
  it('an attempt stays unchanged', async () => {
    const attempt = await started();
    service.deps.clock.offset = CHARGE_LEASE_MS;
    const charging = new Charging({ ...service.deps, processor: null });
    expect(await charging.callAndWait(attempt)).toEqual(attempt);
    expect(await charging.wait(attempt)).toEqual(attempt);
    expect(await charging.handleDue(SLUG)).toBe(0);
    expect(await stored(attempt.id)).toMatchObject(attempt);
  });

  it('R-65 a lost charge of a removed business unit is logged but not repeated', async () => {
    const { charges, processor } = waiting();
    const attempt = await started();
    service.deps.clock.offset = 120_000;
    const own = service.deps.config;
    const gone = { ...service.deps, config: { ...own, businessUnits: [] } };
    const warn = vi.fn<Log['warn']>();
    const log: Log = { info: () => undefined, warn, error: () => undefined };
    const unaware = { ...processor, lookup: async () => 'never_seen' as const };
    expect(await new Charging({ ...gone, log, processor: unaware }).handleDue(SLUG)).toBe(1);
    expect(charges).toEqual([]);
    expect(await stored(attempt.id)).toMatchObject({ status: 'processing', lookups: 1 });
    expect(warn.mock.calls).toEqual([
      [
        expect.stringContaining('not sent again'),
        { sessionId: attempt.sessionId, paymentId: attempt.id, businessUnit: SLUG },
      ],
    ]);
  });
});

describe('R-44 a bank payment that is settling', () => {
  it('is logged and not charged again if the processor no longer knows it', async () => {
    const charge = vi.fn<PaymentProcessor['charge']>(async () => 'pending');
    const processor: PaymentProcessor = {
      tokenize: async () => ({ token: 'tok', last4: '6789' }),
      charge,
      lookup: async () => 'never_seen',
    };
    await service.close();
    service = await startTestService({ config: config(), processor });
    const page = await open(service.fetch, 'payment');
    expect(await page.pay({ source: BANK })).toMatchObject({ status: 'pending' });
    service.deps.clock.offset = 2 * 86_400_000;
    expect(await process(processor).handleDue(SLUG)).toBe(1);
    expect(charge).toHaveBeenCalledOnce();
    expect(written).toMatchObject([{ level: 'error', fields: { sessionId: page.id } }]);
    expect((await service.control.state(SLUG)).payments).toMatchObject([{ status: 'pending' }]);
  });

  describe('a card charge without a response', () => {
    const ids: string[] = [];
    let lookups = 0;
    let known: LookupOutcome = 'never_seen';
    let page: Payer;
    let attemptId: string;
    const processor: PaymentProcessor = {
      tokenize: async () => ({ token: 'tok', last4: '4242', fingerprint: 'fp' }),
      charge: async ({ attemptId }) => {
        ids.push(attemptId);
        if (ids.length === 1) throw new Error('lost');
        return 'succeeded';
      },
      lookup: async () => {
        lookups++;
        return known;
      },
    };
    beforeEach(async () => {
      [ids.length, lookups, known] = [0, 0, 'never_seen'];
      await service.close();
      service = await startTestService({ config: config(), processor });
      page = await open(service.fetch, 'payment');
      const paid = await page.pay({ source: CARD });
      expect(paid).toMatchObject({ status: 'processing' });
      ({ attemptId } = paid);
    });
    const status = async () => (await service.control.state(SLUG)).payments[0]?.status;

    it('R-62 is charged again under the same id if it is still never_seen after two minutes', async () => {
      await service.control.advance(119_000);
      expect([ids.length, lookups]).toEqual([1, 1]);
      await service.control.advance(60_000);
      expect(new Set(ids).size).toBe(1);
      expect(ids).toHaveLength(2);
      expect(await status()).toBe('succeeded');
    });

    it('R-93 is declined instead if its account was blocked in the meantime', async () => {
      await service.deps.store.transaction((tx) => tx.methods.block(SLUG, 'fp', 'R10', 0));
      await service.control.advance(119_000);
      await service.control.advance(60_000);
      expect(ids).toHaveLength(1);
      expect((await service.control.state(SLUG)).payments).toMatchObject([
        { status: 'declined', reason: 'method_blocked' },
      ]);
      expect(await page.get(`attempts/${attemptId}`)).toMatchObject({ status: 'never_seen' });
    });

    it('R-62 is not charged again if the first lookups were too early to see it', async () => {
      for (let lookup = 0; lookup < 3; lookup++) await service.control.advance(20_000);
      known = 'succeeded';
      await service.control.advance(120_000);
      expect(ids).toHaveLength(1);
      expect(lookups).toBeGreaterThan(2);
      expect(await status()).toBe('succeeded');
    });
  });
});
