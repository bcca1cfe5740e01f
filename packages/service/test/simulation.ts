/**
 * Seeded random histories: sessions, payments, refunds that may fail later, cancels, AutoPay, scheduled payments, crashes and clock moves, on two
 * services with one database and a processor with its own ledger, in different time zones. After each history the books must
 * agree, and nothing was charged before its day.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { BACK_OFFICE_ENDPOINTS, type Payment, type WebhookEvent } from '@embedded-sessions/server-types';
import { addDays, dayIn, startOf } from '../src/core/day.js';
import { refundIdOf, type LedgerEntry } from '../src/ledger/rules.js';
import { derivedId } from '../src/platform/ids.js';
import { NOT_SENT, type Attempt } from '../src/payments/rules/attempt.js';
import type {
  ProcessorResponse,
  ChargeOutcome,
  LookupOutcome,
  PaymentProcessor,
  RefundOutcome,
} from '../src/processor/rules/port.js';
import { settleRefund } from '../src/refunds/begin-refund.js';
import { startTestService, type OpenTestService } from '../src/start/test-service.js';
import { account, config, SECRETS, SLUG } from './merchant.js';
import { asMerchant, BANK, CARD, open, type Payer } from './payer.js';
import { numbers } from './random.js';
import type { Receiver } from './receiver.js';

const DAY_MS = 86_400_000;
const TIME_ZONES = ['UTC', 'America/New_York', 'America/Los_Angeles', 'Pacific/Auckland'] as const;
const ACCOUNT = { AccountNumber: '1001', SubAccountNumber: '', Name: 'Ada Byron' };
const MODULE = new URL('simulated-processor.mjs', import.meta.url).pathname;

interface Charged {
  readonly amount: number;
  readonly at: number;
  readonly settles: LookupOutcome;
  readonly settlesAt: number;
  readonly comesBackAt: number;
}

/** A processor that charges and refunds once per id and loses responses. */
export class SimulatedProcessor implements PaymentProcessor {
  readonly charges = new Map<string, Charged>();
  readonly refunds = new Map<
    string,
    { attemptId: string; amount: number; outcome: RefundOutcome; knownAt: number }
  >();
  constructor(
    private readonly random: () => number,
    private readonly now: () => number,
  ) {}

  async tokenize(source: Parameters<PaymentProcessor['tokenize']>[0]) {
    return { token: source.method === 'ACH' ? 'bank' : 'card', last4: '4242' };
  }

  async charge({
    attemptId,
    token,
    amount,
  }: Parameters<PaymentProcessor['charge']>[0]): Promise<ProcessorResponse<ChargeOutcome>> {
    if (this.random() < 0.08) throw new Error('never arrived');
    if (!this.charges.has(attemptId)) this.charges.set(attemptId, this.decide(token, amount));
    if (this.random() < 0.12) throw new Error('the answer was lost');
    if (this.random() < 0.05) return 'perhaps' as never;
    const outcome = this.outcome(attemptId);
    return outcome === 'returned' ? 'pending' : (outcome as ChargeOutcome);
  }

  async lookup(attemptId: string): Promise<ProcessorResponse<LookupOutcome>> {
    if (this.random() < 0.1) throw new Error('no answer');
    if (this.random() < 0.05) return undefined as never;
    return this.charges.has(attemptId) ? this.outcome(attemptId) : 'never_seen';
  }

  async refund({
    refundId,
    attemptId,
    amount,
  }: Parameters<NonNullable<PaymentProcessor['refund']>>[0]): Promise<ProcessorResponse<RefundOutcome>> {
    if (this.random() < 0.08) throw new Error('never arrived');
    if (!this.refunds.has(refundId)) {
      const outcome = this.random() < 0.15 ? 'failed' : 'succeeded';
      const knownAt = this.now() + (this.random() < 0.2 ? DAY_MS : 0);
      this.refunds.set(refundId, { attemptId, amount, outcome, knownAt });
    }
    if (this.random() < 0.12) throw new Error('the answer was lost');
    const stored = this.refunds.get(refundId)!;
    return this.now() < stored.knownAt ? 'pending' : stored.outcome;
  }

  /** The final outcome of a charge. */
  outcome(attemptId: string): LookupOutcome {
    const charged = this.charges.get(attemptId);
    if (!charged) return 'never_seen';
    const now = this.now();
    if (charged.settles === 'declined') return 'declined';
    if (now < charged.settlesAt) return 'pending';
    return now >= charged.comesBackAt ? 'returned' : charged.settles;
  }

  private decide(token: string, amount: number): Charged {
    const now = this.now();
    if (token === 'card')
      return {
        amount,
        at: now,
        settles: this.random() < 0.3 ? 'declined' : 'succeeded',
        settlesAt: now,
        comesBackAt: Infinity,
      };
    const settlesAt = now + 2 * DAY_MS;
    const late = this.random() < 0.2;
    return {
      amount,
      at: now,
      settles: this.random() < 0.25 ? 'returned' : 'succeeded',
      settlesAt,
      comesBackAt: late ? settlesAt + 5 * DAY_MS : Infinity,
    };
  }
}

/** A service that can crash between any two transactions. */
interface Process {
  readonly service: OpenTestService;
  /** Resolves after the crash. */
  readonly died: Promise<void>;
  readonly bury: () => Promise<void>;
}

interface Place {
  readonly database: string;
  readonly receiver: Receiver;
  readonly timeZone: string;
}

async function start({ database, receiver, timeZone }: Place, diesAfter: number): Promise<Process> {
  const service = await startTestService({
    config: config({ webhook: { url: receiver.url, secrets: SECRETS }, timeZone }),
    database,
    processor: MODULE,
  });
  const { store } = service.deps;
  const { transaction, close } = {
    transaction: store.transaction.bind(store),
    close: store.close.bind(store),
  };
  let left = diesAfter;
  let die = (): void => undefined;
  const died = new Promise<void>((resolve) => (die = resolve));
  const never = (): Promise<never> => {
    die();
    return new Promise<never>(() => undefined);
  };
  const mortal: typeof store.transaction = async (work, options) => {
    if (left <= 0) return never();
    left -= 1;
    const result = await transaction(work, options);
    return left <= 0 ? never() : result;
  };
  Object.assign(store, { transaction: mortal });
  return { service, died, bury: close };
}

export interface Books {
  readonly problems: string[];
  readonly steps: string[];
}

/** Runs one history and compares all records. */
export async function live(seed: number, database: string, receiver: Receiver): Promise<Books> {
  const random = numbers(seed);
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the compiler checks indexes here, the linter does not
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const timeZone = pick(TIME_ZONES);
  const place = { database, receiver, timeZone };
  const steps: string[] = [timeZone];
  let now = (): number => Date.now();
  const processor = new SimulatedProcessor(random, () => now());
  Object.assign(globalThis, { simulatedProcessor: processor });
  receiver.received.length = 0;

  const buried: Process[] = [];
  const lifetime = (): number => (random() < 0.5 ? 3 + Math.floor(random() * 25) : Infinity);
  const survivor = await start(place, Infinity);
  await survivor.service.control.reset();
  const processes: [Process, Process] = [survivor, await start(place, lifetime())];
  // A process whose clock was moved may charge before the other adopts the clock.
  now = () => Math.max(...processes.map(({ service }) => service.deps.clock.now()));

  /** Acts on one of the two services and replaces it if it crashes. */
  const by = async (what: string, work: (service: OpenTestService) => Promise<unknown>): Promise<unknown> => {
    const which = random() < 0.5 ? 0 : 1;
    const process = processes[which];
    steps.push(`${what} on ${which}`);
    let outcome: unknown;
    const done = work(process.service).then(
      (result) => (outcome = result),
      (error: Error) => (outcome = error),
    );
    await Promise.race([done, process.died]);
    if (await Promise.race([process.died.then(() => true), Promise.resolve(false)])) {
      steps.push(`${which} died`);
      buried.push(process);
      processes[which] = await start(place, lifetime());
    }
    return outcome;
  };
  const post = (service: OpenTestService, path: string, body: object, key?: string): Promise<Response> =>
    asMerchant(service.fetch, path, body, key === undefined ? {} : { 'idempotency-key': key });

  const cents = (most: number): number => 100 + Math.floor(random() * most);
  const pages: { id: string; secret: string; amounts: number[] }[] = [];
  const references: string[] = [];
  const dueDates = new Set<string>();
  const someDay = (): string => addDays(dayIn(now(), timeZone), Math.floor(random() * 4));
  const paymentIds = async (service: OpenTestService, statuses?: readonly string[]): Promise<string[]> => {
    const response = (await (await post(service, BACK_OFFICE_ENDPOINTS.list, {})).json()) as {
      data: { Payments: Payment[] } | null;
    };
    const found = response.data?.Payments ?? [];
    return found.filter(({ Status }) => statuses?.includes(Status) ?? true).map(({ Id }) => Id);
  };
  const again = (service: OpenTestService, { id, secret }: (typeof pages)[number]): Payer => {
    const send = (path: string, init: RequestInit = {}) =>
      service.fetch(`/s/${id}/api/${path}`, {
        ...init,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      });
    return { id, secret, send } as Payer;
  };

  /** Entries of days that had ended when they were read. */
  const closed = new Map<string, LedgerEntry[]>();
  const close = async (): Promise<void> => {
    const today = dayIn(now(), timeZone);
    closed.set(today, await entriesBefore(survivor.service, today));
  };

  /** Running processes adopt a moved clock within a second. */
  const adoptClock = async (): Promise<void> => {
    const offset = await survivor.service.deps.store.read((tx) => tx.meta.get('clock-offset'));
    for (const { service } of processes) service.deps.clock.offset = Number(offset);
  };

  const ACTS: Readonly<Record<string, () => Promise<unknown>>> = {
    create: () =>
      by('create', async (service) => {
        const amounts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => cents(20_000));
        const page = await open(service.fetch, 'payment', {
          Charges: amounts.map((Amount, place) => ({
            Amount,
            Description: 'Water',
            ...(random() < 0.8 ? account(`${2_000 + place}`) : {}),
          })),
          ClientUser: { EmailAddress: pick(['ada@example.com', 'bob@example.com']) },
        });
        pages.push({ id: page.id, secret: page.secret, amounts });
      }),
    pay: async () => {
      if (pages.length === 0) return;
      const page = pick(pages);
      const attemptId = randomUUID();
      const source = random() < 0.6 ? CARD : BANK;
      const times = random() < 0.3 ? 2 : 1;
      for (let time = 0; time < times; time++)
        await by(`pay ${page.id.slice(-6)} by ${source.method}`, (service) =>
          again(service, page).send('pay', {
            method: 'POST',
            body: JSON.stringify({
              attemptId,
              source,
              saveMethod: false,
              charges: page.amounts.map((amount, index) => ({ index, amount })),
              fields: {},
              ...(source.method === 'ACH' ? { authorization: 'I agree.' } : {}),
            }),
          }),
        );
    },
    cancel: async () => {
      if (pages.length === 0) return;
      const { id } = pick(pages);
      await by('cancel', (service) =>
        post(service, BACK_OFFICE_ENDPOINTS.cancel, { PaymentSessionIdentifier: id }),
      );
    },
    refund: () =>
      by('refund', async (service) => {
        const ids = await paymentIds(service);
        if (ids.length === 0) return;
        const part = random() < 0.6 ? { Amount: 1 + Math.floor(random() * 5_000) } : {};
        const key = random() < 0.5 ? randomUUID() : undefined;
        await post(service, BACK_OFFICE_ENDPOINTS.refund, { PaymentIdentifier: pick(ids), ...part }, key);
      }),
    'fail a refund': () =>
      by('fail a refund', async (service) => {
        const refunds = await service.deps.store.read((tx) => tx.refunds.list(SLUG));
        const succeeded = refunds.filter(({ status }) => status === 'succeeded');
        if (succeeded.length === 0) return;
        const { id } = pick(succeeded);
        Object.assign(processor.refunds.get(id) ?? {}, { outcome: 'failed' });
        await settleByHand(service, processor);
      }),
    enroll: () =>
      by('enroll', async (service) => {
        const page = await open(service.fetch, 'autopay');
        const method = await page.addMethod(random() < 0.5 ? CARD : BANK);
        await page.post('autopay/enroll', { methodId: method.id, authorization: 'I agree.' });
      }),
    bill: () =>
      by('bill', async (service) => {
        const reference =
          references.length > 0 && random() < 0.3 ? pick(references) : `bill-${references.length}`;
        references.push(reference);
        await post(service, BACK_OFFICE_ENDPOINTS.charge, {
          AccountNumber: '1001',
          Amount: cents(9_000),
          ClientReference: reference,
          ...(random() < 0.4 ? { ChargeOn: someDay() } : {}),
        });
      }),
    'cancel a charge': () =>
      by('cancel a charge', async (service) => {
        const ids = await paymentIds(service, ['scheduled']);
        if (ids.length > 0)
          await post(service, BACK_OFFICE_ENDPOINTS.cancelPayment, { PaymentIdentifier: pick(ids) });
      }),
    schedule: () =>
      by('schedule', async (service) => {
        const page = await open(service.fetch, 'schedule-payment');
        const method = await page.addMethod(random() < 0.5 ? CARD : BANK);
        await page.post('schedule', {
          requestId: randomUUID(),
          amount: cents(9_000),
          date: addDays(someDay(), 1),
          methodId: method.id,
          authorization: 'I agree.',
        });
      }),
    sync: () =>
      by('sync', async (service) => {
        const DueDate = someDay();
        dueDates.add(DueDate);
        const ClientAccount = { ...ACCOUNT, Balance: cents(9_000), DueDate };
        await open(service.fetch, 'autopay', { ClientAccount, SyncAccount: true });
      }),
    wait: async () => {
      const ms = pick([60_000, 31 * 60_000, DAY_MS, 3 * DAY_MS]);
      await close();
      await by(`wait ${ms}`, (service) => service.control.advance(ms));
      await adoptClock();
    },
  };
  const names = [
    'create',
    'create',
    'pay',
    'pay',
    'pay',
    'cancel',
    'refund',
    'refund',
    'fail a refund',
    'enroll',
    'bill',
    'bill',
    'cancel a charge',
    'schedule',
    'sync',
    'wait',
    'wait',
  ];
  const length = 6 + Math.floor(random() * 20);
  for (let step = 0; step < length; step++) {
    receiver.response = random() < 0.2 ? 500 : 200;
    await ACTS[pick(names)]?.();
  }

  // Open payments settle over time.
  receiver.response = 200;
  const { service } = survivor;
  // Day by day at first, so that returns come on a later day than their payments.
  const waits = [...Array.from({ length: 10 }, () => 1), ...Array.from({ length: 22 }, () => 4)];
  for (const days of waits) {
    await close();
    await service.control.advance(days * DAY_MS);
    await adoptClock();
    if (random() < 0.1) await ACTS['fail a refund']?.();
  }
  await settleByHand(service, processor);
  const problems = await compare(service, processor, receiver);
  problems.push(...(await compareDays(service, processor, { timeZone, dueDates })));
  for (const [day, entries] of closed)
    if (!isDeepStrictEqual(entries, await entriesBefore(service, day)))
      problems.push(`the ledger before ${day} has changed`);
  await Promise.all([...processes, ...buried].map((process) => process.bury()));
  return { problems, steps };
}

/**
 * Reports the outcomes that the service doesn't look up: of refunds that failed after they had succeeded, and of those that it
 * must not send again, because their payments were returned.
 */
async function settleByHand(
  { deps, control }: OpenTestService,
  processor: SimulatedProcessor,
): Promise<void> {
  const { store, clock, newId } = deps;
  const open = await store.read(async (tx) => {
    const refunds = (await tx.refunds.list(SLUG)).filter(
      ({ id, status }) =>
        status === 'processing' ||
        (status === 'succeeded' && processor.refunds.get(id)?.outcome === 'failed'),
    );
    const payments = await Promise.all(refunds.map(({ attemptId }) => tx.attempts.get(attemptId)));
    return refunds.flatMap(({ id, status }, index) => {
      const payment = payments[index];
      const isOpen = payment?.status === 'returned' || status === 'succeeded';
      return payment && isOpen ? [{ id, sessionId: payment.sessionId }] : [];
    });
  });
  for (const refund of open) {
    const outcome = processor.refunds.get(refund.id)?.outcome ?? 'failed';
    const context = { now: clock.now(), newId, config: deps.config };
    await store.transaction((tx) => settleRefund(tx, refund, { outcome }, context));
  }
  await control.advance(0);
}

/** The ledger of the days before `day`. */
function entriesBefore({ deps }: OpenTestService, day: string): Promise<LedgerEntry[]> {
  return deps.store.read(({ ledger }) =>
    ledger.page({ businessUnit: SLUG, from: '2000-01-01', to: day, limit: 10_000 }),
  );
}

async function compare(
  service: OpenTestService,
  processor: SimulatedProcessor,
  receiver: Receiver,
): Promise<string[]> {
  const problems: string[] = [];
  const must = (holds: boolean, said: string): void => {
    if (!holds) problems.push(said);
  };
  const { attempts, refunds, sessions, messages } = await service.deps.store.read(async (tx) => ({
    attempts: await tx.attempts.list(SLUG),
    refunds: await tx.refunds.list(SLUG),
    sessions: await tx.sessions.list(SLUG),
    messages: await tx.outbox.list(SLUG),
  }));

  // The processor and the service.
  for (const attempt of attempts) {
    const { id, status, amount, refunded } = attempt;
    const real = processor.outcome(id);
    must(
      status === real || isNeverCharged(attempt, real),
      `payment ${id} is ${status} here and ${real} there`,
    );
    must((processor.charges.get(id)?.amount ?? amount) === amount, `payment ${id}: other amounts`);
    const given = [...processor.refunds.values()].filter(
      ({ attemptId, outcome }) => attemptId === id && outcome === 'succeeded',
    );
    const back = given.reduce((sum, each) => sum + each.amount, 0);
    must(refunded === back, `payment ${id}: ${refunded} given back here, ${back} there`);
    must(back <= amount, `payment ${id}: more given back than taken`);
  }
  for (const id of processor.charges.keys())
    must(
      attempts.some((attempt) => attempt.id === id),
      `the processor has charged ${id}, of which nothing is known here`,
    );
  for (const { id, status } of refunds) {
    const real = processor.refunds.get(id)?.outcome;
    must(status === (real ?? 'failed'), `refund ${id} is ${status} here and ${String(real)} there`);
  }

  // Sessions and their payments.
  for (const { id, status, flow } of sessions) {
    const own = attempts.filter(({ sessionId, accountId }) => sessionId === id && accountId === undefined);
    const good = own.filter((attempt) => attempt.status === 'succeeded');
    must(good.length <= 1, `session ${id} was paid ${good.length} times`);
    if (flow === 'payment') {
      must(
        (status === 'Succeeded') === (good.length === 1),
        `session ${id} is ${status} with ${good.length} payments`,
      );
      must(status !== 'Processing', `session ${id} is stuck in Processing`);
      must(
        (status === 'Failed') === own.some((attempt) => attempt.status === 'returned'),
        `session ${id} is ${status}`,
      );
    }
  }
  // The ledger, the processor and the payments, to the cent.
  const entries = await entriesBefore(service, '9999-12-31');
  for (const { id, status, amount, refunded } of attempts) {
    const own = entries.filter(({ paymentId }) => paymentId === id);
    const booked = own.reduce((sum, entry) => sum + entry.amount, 0);
    const real = processor.outcome(id) === 'succeeded' ? (processor.charges.get(id)?.amount ?? 0) : 0;
    must(booked === real - refunded, `payment ${id}: ${booked} in the ledger, ${real - refunded} there`);
    const parts = new Map<number, number>();
    for (const entry of own) parts.set(entry.line, (parts.get(entry.line) ?? 0) + entry.amount);
    if (status === 'succeeded' && refunded === amount)
      must(
        [...parts.values()].every((sum) => sum === 0),
        `payment ${id}: accounts differ after a full refund`,
      );
  }
  for (const { id, amount, status } of refunds) {
    const own = entries.filter((entry) => refundIdOf(entry) === id);
    const booked = own.reduce((sum, entry) => sum - entry.amount, 0);
    must(booked === (status === 'succeeded' ? amount : 0), `refund ${id}: ${booked} in the ledger`);
  }

  const references = attempts
    .map(({ clientReference }) => clientReference)
    .filter((one) => one !== undefined);
  must(new Set(references).size === references.length, 'one reference was charged twice');

  // Webhooks and the service.
  for (const { id, status } of messages) must(status === 'delivered', `webhook ${id} is ${status}`);
  const byId = new Map<string, WebhookEvent>();
  for (const { headers, event } of receiver.received) byId.set(headers['webhook-id'] ?? '', event);
  const events = [...byId.values()].toSorted((a, b) => a.timestamp.localeCompare(b.timestamp));
  const last = new Map<string, string>();
  const given = new Map<string, NonNullable<(typeof events)[number]['data']['Refund']>>();
  for (const { type, data } of events) {
    const id = data.Payment?.Id;
    if (id === undefined) continue;
    if (/^(scheduled_)?payment\./.test(type)) last.set(id, String(data.Payment?.Status));
    const { RefundIdentifier: refundId = '' } = data.Refund ?? {};
    if (data.Refund && given.get(refundId)?.Status !== 'failed') given.set(refundId, data.Refund);
  }
  const back = new Map<string, number>();
  for (const { PaymentIdentifier: id, Status, Amount } of given.values())
    if (Status === 'succeeded') back.set(id, (back.get(id) ?? 0) + Amount);
  for (const { id, status, refunded } of attempts) {
    if (status !== 'canceled')
      must(
        last.get(id) === status,
        `payment ${id} is ${status}, but its last webhook said ${String(last.get(id))}`,
      );
    must((back.get(id) ?? 0) === refunded, `payment ${id}: refunds in webhooks differ from those made`);
  }
  const taken = attempts.filter(({ id }) => last.get(id) === 'succeeded');
  const net =
    taken.reduce((sum, { amount }) => sum + amount, 0) -
    [...back.values()].reduce((sum, amount) => sum + amount, 0);
  const booked = entries.reduce((sum, { amount }) => sum + amount, 0);
  must(booked === net, `${booked} in the ledger, ${net} by webhooks`);
  return problems;
}

/** Charges that the service canceled or declined before it called the processor. */
function isNeverCharged({ status, accountId, reason }: Attempt, real: LookupOutcome): boolean {
  const hasReason = accountId === undefined ? reason === NOT_SENT.tooLate : reason !== undefined;
  const isDeclined = status === 'declined' && hasReason;
  return real === 'never_seen' && (status === 'canceled' || isDeclined);
}

/** Checks that nothing was charged early, twice or not at all. */
async function compareDays(
  service: OpenTestService,
  processor: SimulatedProcessor,
  { timeZone, dueDates }: { timeZone: string; dueDates: ReadonlySet<string> },
): Promise<string[]> {
  const { deps } = service;
  const today = dayIn(deps.clock.now(), timeZone);
  const { attempts, schedules, accounts, enrollments } = await deps.store.read(async (tx) => ({
    attempts: await tx.attempts.list(SLUG),
    schedules: await tx.schedules.list(SLUG),
    accounts: await tx.accounts.list(SLUG),
    enrollments: await tx.autopay.list(SLUG),
  }));
  const dates = new Map<string, string>();
  for (const { id, chargeOn } of attempts) if (chargeOn !== undefined) dates.set(id, chargeOn);
  for (const { id, date } of schedules)
    for (const attempt of attempts) if (attempt.scheduledId === id) dates.set(attempt.id, date);
  for (const date of dueDates)
    for (const account of accounts)
      dates.set(derivedId('pay_', startOf(date)!, deps.env, 'autopay-due', account.id, date), date);

  const early = [...processor.charges].flatMap(([id, { at }]) => {
    const date = dates.get(id);
    const day = dayIn(at, timeZone);
    return date !== undefined && day < date ? [`${id} of ${date} was charged on ${day}`] : [];
  });
  const outcomes: Readonly<Record<string, string>> = { executed: 'succeeded', failed: 'declined returned' };
  const wrong = schedules.flatMap(({ id, status }) => {
    const own = attempts.filter(({ scheduledId }) => scheduledId === id).map((attempt) => attempt.status);
    const fits =
      own.length === 0 ? status === 'failed' : own.length === 1 && outcomes[status]?.includes(own.join());
    return fits ? [] : [`scheduled payment ${id} is ${status}, its charges are ${own.join()}`];
  });
  const late = [
    ...attempts.filter(({ status, chargeOn = '' }) => status === 'scheduled' && chargeOn <= today),
    ...enrollments.filter(({ dueDate }) => dueDate !== undefined && dueDate <= today),
  ].map((row) => `not charged on its day: ${JSON.stringify(row)}`);
  return [...early, ...wrong, ...late];
}
