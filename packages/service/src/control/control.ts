/** What a test does to a service outside production, over the control port or inside its own process. */
import { setTimeout as delay } from 'node:timers/promises';
import { stateOf } from './state.js';
import type { ControlState } from './state.js';
import type { Deps } from '../deps.js';
import { timeIn } from '../platform/clock-offset.js';
import { patientStore, requestPatience } from '../platform/patience.js';
import { ServiceError, unavailable } from '../core/error.js';
import type { Store } from '../core/store.js';
import { CHARGE_LEASE_MS } from '../processor/rules/asked.js';
import type { FaultList, FaultRequest } from './fault-list.js';
import type { Jobs } from '../jobs/jobs.js';
import type { Attempt } from '../shared/page.js';
import { createPayAsPage, type Fetch } from './pay.js';

export interface Control {
  /** Moves the clock of every process on this database by ms; resolves when what is due then has run. */
  advance(ms: number): Promise<void>;
  /** Empties the database, all but its keys; puts the clock back and forgets faults. */
  reset(): Promise<void>;
  /** Makes the next requests go wrong. */
  fault(fault: FaultRequest): void;
  state(businessUnit: string): Promise<ControlState>;
  /**
   * Pays all that a payment session asks for, as its payer would on the hosted page, and resolves with what became of
   * it: `succeeded`, `declined`, `pending` (a bank payment, which `advance` settles) or `processing` (the processor has
   * not answered). Its webhooks are sent at the next `advance`.
   *
   * @param card the number of a test card, or of a test bank account; default: 4242424242424242, which succeeds
   * @throws Error in the service's words where there is no payment to be made: session unknown, paid, expired, canceled
   * @example
   * const { sessionId } = await client.payments.create({ BusinessUnitSlug: 'shop', Channel: 'QuickPay', Charges: [{ Amount: 7630 }] });
   * await service.control.pay(sessionId); // { status: 'succeeded', … }
   * await service.control.advance(0); // the webhook has arrived
   */
  pay(sessionId: string, card?: string): Promise<Attempt>;
}

export function createControl(deps: Deps, jobs: Jobs, faults: FaultList, fetch: Fetch): Control {
  const { store, clock } = deps;
  const payAsPage = createPayAsPage(deps, fetch);
  return {
    advance: async (ms) => {
      const patience = requestPatience();
      const offset = await patientStore(store, patience).transaction(async (tx) => {
        const moved = Number((await tx.meta.get('clock-offset')) ?? 0) + ms;
        if (!(clock.at(moved) < END_OF_TIME))
          throw new ServiceError(
            'invalid',
            'The clock goes no further than the year 9999: reset puts it back.',
          );
        await tx.meta.set('clock-offset', String(moved));
        return moved;
      });
      clock.set(offset);
      await whileAnswering(store, patience.leftMs(), untilNothingIsDue(deps, jobs));
    },
    reset: async () => {
      faults.clear();
      await store.transaction((tx) => tx.meta.clear());
      clock.set(0);
    },
    fault: (fault) => faults.add(fault),
    state: (businessUnit) => store.read(async (tx) => stateOf(tx, businessUnit, await timeIn(tx, deps))),
    pay: async (sessionId, card = '4242424242424242') => {
      const { answer } = await payAsPage(sessionId, card);
      if (answer.ok) return answer.data;
      throw new Error(`Not paid: ${answer.errors.map(({ message }) => message).join(' ')}`);
    },
  };
}

/** Later instants have years of five digits: what compares them as text goes wrong, and `Date` ends. */
const END_OF_TIME = Date.UTC(9999, 0, 1);

/** How long the clock's move waits for what another process has begun, real ms. */
const OTHERS_WAIT_MS = 3_000;

async function untilNothingIsDue(deps: Deps, jobs: Jobs): Promise<void> {
  const deadline = performance.now() + OTHERS_WAIT_MS;
  for (;;) {
    await jobs.runDue();
    if (performance.now() > deadline || !(await elsewhereInFlight(deps))) return;
    await delay(25);
  }
}

/** Real ms between two looks at whether the database answers. */
const LOOK_MS = 1_000;

/**
 * What is due may take as long as it takes, but not for a database that answers nothing: each of many jobs would
 * wait for it.
 * @param ms how long the database may take to answer
 */
async function whileAnswering(store: Store, ms: number, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  const watching = async (): Promise<void> => {
    for (; !signal.aborted; await delay(LOOK_MS, undefined, { signal }))
      await requestPatience(ms).wait(store.read((tx) => tx.meta.get('environment')));
  };
  const watched = watching().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  try {
    await Promise.race([work, watched.then(() => work)]);
  } catch (error) {
    const isSilent = error instanceof ServiceError && error.code === 'unavailable';
    throw isSilent ? unavailable(error, STOPPED_SHORT) : error;
  } finally {
    done.abort();
  }
}

const STOPPED_SHORT =
  'The clock was moved, but the database stopped answering before all that is due then was done: advance it by "0s" when it answers again.';

/** A scheduled payment or a delivery that was due and that another process has in hand. */
function elsewhereInFlight({ store, clock }: Deps): Promise<boolean> {
  return store.read(async (tx) => {
    if (await tx.outbox.anyLeased(Date.now())) return true;
    const begun = await tx.attempts.due(clock.now() + CHARGE_LEASE_MS, 100);
    return begun.some(
      ({ status, scheduledId, lookups }) =>
        status === 'processing' && scheduledId !== undefined && lookups === 0,
    );
  });
}
