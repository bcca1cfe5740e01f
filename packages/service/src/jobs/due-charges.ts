/** Makes charges on their day: scheduled payments, AutoPay and the merchant's AutoPay charges. */
import type { Deps } from '../deps.js';
import { dayIn } from '../core/day.js';
import type { StoreTx, TxContext } from '../core/store.js';
import type { WaitingRow, WaitingRows } from '../core/queue-rows.js';
import type { Attempt } from '../payments/rules/attempt.js';
import { isLedgerComplete, isBackfilled, backfill } from '../ledger/backfill.js';
import { beginDueAutopay, type MissedBill, type MissedReason } from '../autopay/due.js';
import { beginScheduledCharge } from '../autopay/scheduled-charge.js';
import { ItemRunner } from '../platform/item-runner.js';
import { unitOf, type BusinessUnit } from '../platform/config/config.js';
import type { LogFields } from '../platform/log/fields.js';
import { Slots } from '../platform/slots.js';
import { beginScheduled } from '../schedules/scheduling.js';

/**
 * The result of a row's transaction: a charge to send, a bill that AutoPay skips, `done` if there was nothing to charge,
 * `later` if another payment must finish first, and null if the row is no longer due.
 */
type StartedCharge = Attempt | MissedBill | 'done' | 'later' | null;

interface ChargeKind {
  readonly rows: (tx: StoreTx) => WaitingRows;
  /** Whether the charge depends on what processes of release 0.3 have charged. */
  readonly awaitsBackfill?: boolean;
  readonly about: (row: WaitingRow) => LogFields;
  readonly begin: (
    tx: StoreTx,
    row: WaitingRow,
    unit: BusinessUnit,
    context: TxContext & Pick<Deps, 'env'>,
  ) => Promise<StartedCharge>;
}

const CHARGE_KINDS: readonly ChargeKind[] = [
  {
    rows: (tx) => tx.schedules.waiting,
    about: ({ id, businessUnit, sessionId }) => ({ scheduledId: id, businessUnit, sessionId }),
    begin: (tx, { id }, unit, context) => beginScheduled(tx, id, unit, context),
  },
  {
    rows: (tx) => tx.attempts.waiting,
    about: ({ id, businessUnit, sessionId }) => ({ paymentId: id, businessUnit, sessionId }),
    begin: (tx, { id }, unit, context) => beginScheduledCharge(tx, id, unit, context),
  },
  // Last, because it waits for what is scheduled for the account.
  {
    rows: (tx) => tx.autopay.waiting,
    awaitsBackfill: true,
    about: ({ businessUnit, sessionId }) => ({ businessUnit, sessionId }),
    begin: (tx, { id }, unit, context) => beginDueAutopay(tx, id, unit, context),
  },
];

const MISSED: Readonly<Record<MissedReason, string>> = {
  late: 'it came after its due date or was due more than three days ago',
  too_many_payments: 'its account has too many payments to sum',
};

/**
 * Begins due charges and calls the processor. Business units share a pool of slots, so one unit's backlog or slow
 * processor doesn't delay the others.
 *
 * Charges wait while the service has no processor or their business unit is not in the config.
 */
export class DueCharges {
  readonly #deps: Deps;
  readonly #runner: ItemRunner;
  readonly #slots: Slots;
  readonly #signal: AbortSignal;
  #backfilling: Promise<void> | undefined;

  constructor(deps: Deps, signal: AbortSignal) {
    this.#deps = deps;
    this.#runner = new ItemRunner(deps, 'execute');
    this.#slots = new Slots(deps.config.processor.concurrency);
    this.#signal = signal;
  }

  /** Whether a charge may be due. `day` is the first day on which any charge is due. */
  mayBeDue(day: string | null): boolean {
    const { clock, config } = this.#deps;
    const timeZones = new Set(config.businessUnits.map(({ timeZone }) => timeZone));
    return day !== null && [...timeZones].some((timeZone) => day <= dayIn(clock.now(), timeZone));
  }

  async dueUnits(): Promise<string[]> {
    const { store, clock, config, processor } = this.#deps;
    if (!processor) return [];

    const now = clock.now();
    const found = await store.read((tx) => Promise.all(CHARGE_KINDS.map(({ rows }) => rows(tx).units())));
    const due = found.flat().filter(({ businessUnit, day }) => {
      const unit = unitOf(config, businessUnit);
      return unit !== undefined && day <= dayIn(now, unit.timeZone);
    });
    return [...new Set(due.map(({ businessUnit }) => businessUnit))];
  }

  /** Charges up to `max` due rows of each kind for a business unit. Resolves to the number of rows; 0 if none is due. */
  async handleDue(businessUnit: string, max: number): Promise<number> {
    const { clock, config } = this.#deps;
    const unit = unitOf(config, businessUnit);
    if (!unit) return 0;

    const today = dayIn(clock.now(), unit.timeZone);
    let count = 0;
    for (const kind of CHARGE_KINDS) count += await this.#chargeRows(kind, businessUnit, today, max);
    return count;
  }

  /**
   * The sweep also does this every minute. After an upgrade, only the sweep does, because there may be millions of
   * payments.
   */
  async #backfill(businessUnit: string): Promise<boolean> {
    const { store } = this.#deps;
    if (!(await store.read(isLedgerComplete))) return false;

    await (this.#backfilling ??= backfill(this.#deps, this.#runner, this.#signal).finally(
      () => (this.#backfilling = undefined),
    ));
    return store.read((tx) => isBackfilled(tx, businessUnit));
  }

  #chargeRows(kind: ChargeKind, businessUnit: string, today: string, max: number): Promise<number> {
    const { store } = this.#deps;
    return this.#runner.each({
      find: async (limit) => {
        const due = await this.#slots.run(businessUnit, () =>
          store.read((tx) => kind.rows(tx).due(businessUnit, today, limit)),
        );
        if (due.length === 0 || !kind.awaitsBackfill) return due;
        return (await this.#backfill(businessUnit)) ? due : [];
      },
      limit: max,
      concurrency: max,
      about: kind.about,
      work: (row) => this.#slots.run(businessUnit, () => this.#charge(kind, row)),
    });
  }

  async #charge(kind: ChargeKind, row: WaitingRow): Promise<boolean | 'later'> {
    const { store, config, clock, newId, env, charging, log } = this.#deps;
    // The config may have changed since the row was found.
    const unit = unitOf(config, row.businessUnit);
    if (!unit) return false;

    const context = { now: clock.now(), newId, env };
    const started = await store.transaction(async (tx) =>
      kind.awaitsBackfill === undefined || (await isBackfilled(tx, unit.slug))
        ? kind.begin(tx, row, unit, context)
        : 'later',
    );
    if (started === null) return false;
    if (started === 'later') return 'later';
    if (started === 'done') return true;

    if ('missed' in started)
      log.warn(`AutoPay does not charge a bill: ${MISSED[started.missed]}`, {
        ...kind.about(row),
        dueDate: started.dueDate,
      });
    else await charging.callInJob(started);
    return true;
  }
}
