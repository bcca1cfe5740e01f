/** Test controls of a service outside production, over the control port or in the same process. */
import { setTimeout as delay } from 'node:timers/promises';
import { stateOf, type ControlState } from './state.js';
import type { Deps } from '../deps.js';
import { timeIn } from '../platform/clock.js';
import { requestTimeLimit } from '../platform/timeouts.js';
import { iso } from '../core/day.js';
import { ServiceError } from '../core/error.js';
import { CHARGE_LEASE_MS } from '../processor/rules/operation.js';
import type { Faults, FaultRequest } from '../platform/faults.js';
import type { Jobs } from '../jobs/jobs.js';
import type { Journal } from './inspector/journal.js';
import type { AttemptHead } from '../payments/rules/attempt.js';
import type { Attempt } from '../shared/page.js';
import { payAsPage, type Fetch } from './pay.js';

export interface Control {
  /** Moves the clock of all processes on this database, ms. Resolves once all due work is done. */
  advance(ms: number): Promise<void>;
  /** Empties the database except its keys, resets the clock and clears faults. */
  reset(): Promise<void>;
  /** Injects faults into the next requests. */
  fault(fault: FaultRequest): void;
  state(businessUnit: string): Promise<ControlState>;
  /**
   * Pays a payment session in full, as its payer would on the hosted page. Resolves to the outcome: `succeeded`,
   * `declined`, `pending` (a bank payment, which `advance` settles) or `processing` (the processor has not answered).
   * Webhooks are sent at the next `advance`.
   *
   * @param card number of a test card or test bank account; default: 4242424242424242, which succeeds
   * @throws Error with the service's message if the session cannot be paid: unknown, paid, expired or canceled
   * @example
   * const { sessionId } = await client.payments.create({ BusinessUnitSlug: 'shop', Channel: 'QuickPay', Charges: [{ Amount: 7630 }] });
   * await service.control.pay(sessionId); // { status: 'succeeded', … }
   * await service.control.advance(0); // the webhook has arrived
   */
  pay(sessionId: string, card?: string): Promise<Attempt>;
}

/** @param journal records clock moves and faults for the inspector */
export function createControl(
  deps: Deps,
  jobs: Jobs,
  faults: Faults,
  fetch: Fetch,
  journal?: Pick<Journal, 'add'>,
): Control {
  const { store, clock } = deps;
  const moved = () => journal?.add({ kind: 'clock', level: 'info', title: `Clock is ${iso(clock.now())}` });
  return {
    advance: async (ms) => {
      const moving = store.transaction(async (tx) => {
        const offset = Number((await tx.meta.get('clock-offset')) ?? 0) + ms;
        if (!(clock.at(offset) < END_OF_TIME))
          throw new ServiceError('invalid', 'The clock stops at the year 9999. Reset moves it back.');
        await tx.meta.set('clock-offset', String(offset));
        return offset;
      });
      clock.offset = await requestTimeLimit().wait(moving);
      await drain(deps, jobs);
      if (ms !== 0) moved();
    },
    reset: async () => {
      faults.clear();
      await store.transaction((tx) => tx.meta.clear());
      clock.offset = 0;
      moved();
    },
    fault: (fault) => {
      faults.add(fault);
      journal?.add({ kind: 'fault', level: 'info', title: `Fault ${fault.kind} is armed` });
    },
    state: (businessUnit) =>
      store.read(async (tx) => stateOf(tx, businessUnit, await timeIn(tx, deps), deps)),
    pay: async (sessionId, card = '4242424242424242') => {
      const { answer } = await payAsPage(deps, fetch, sessionId, card);
      if (answer.ok) return answer.data;
      throw new Error(`Not paid: ${answer.errors.map(({ message }) => message).join(' ')}`);
    },
  };
}

/** Later years have five digits, so ISO dates could no longer be compared as text. */
const END_OF_TIME = Date.UTC(9999, 0, 1);

/** Time that a clock move waits for other processes' work, real ms. */
const MAX_OTHERS_WAIT_MS = 3_000;

async function drain(deps: Deps, jobs: Jobs): Promise<void> {
  const deadline = performance.now() + MAX_OTHERS_WAIT_MS;
  for (;;) {
    await jobs.runDue();
    if (performance.now() > deadline || !(await isBusyElsewhere(deps))) return;
    await delay(25);
  }
}

/** Whether another process is running a due charge or a delivery. */
function isBusyElsewhere({ store, clock }: Deps): Promise<boolean> {
  return store.read(async (tx) => {
    if (await tx.outbox.anyLeased(Date.now())) return true;

    const until = clock.now() + CHARGE_LEASE_MS;
    for (const businessUnit of await tx.attempts.unitsDue(until)) {
      const started = await tx.attempts.due(businessUnit, until, 100);
      const isCharge = ({ status, scheduledId, accountId, lookups }: AttemptHead) =>
        status === 'processing' && (scheduledId ?? accountId) !== undefined && lookups === 0;
      if (started.some(isCharge)) return true;
    }
    return false;
  });
}
