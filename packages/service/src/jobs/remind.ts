/** Writes reminders of scheduled payments, AutoPay charges and expiring cards. */
import type { Deps } from '../deps.js';
import { billOf } from '../accounts/current-bill.js';
import { remindedCharge } from '../autopay/due.js';
import { REMINDER_DAYS } from '../autopay/remind-again.js';
import { addDays, dayIn, hourIn } from '../core/day.js';
import { defined } from '../core/defined.js';
import type { StoreTx } from '../core/store.js';
import type { ItemRunner } from '../platform/item-runner.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { messageSettings } from '../messages/settings.js';
import {
  FIRST_HOUR,
  type MessageFacts,
  type MessageKind,
  type PayerMessage,
  type ReminderPage,
  type ReminderSubject,
} from '../messages/rules.js';
import { fullNumber } from '../accounts/rules/account-sync.js';
import { chargeObstacle } from '../wallet/rules.js';
import { reminderFacts, writeNotice } from '../messages/write.js';

/** Subjects per transaction. Few, because AutoPay's charge is what is left after all payments of its bill. */
const BATCH_SIZE = 20;

type Parts = Pick<Deps, 'env' | 'store' | 'clock' | 'config' | 'newId'>;

type WrittenReminder = Pick<PayerMessage, 'kind' | 'about' | 'customerId' | 'facts'>;

interface Reminder {
  readonly kind: MessageKind;
  readonly find: (
    tx: StoreTx,
    unit: BusinessUnit,
    today: string,
    page: ReminderPage,
  ) => Promise<ReminderSubject[]>;
  /** Reads the announced charge or card again. Null if it was canceled, changed or made, or will fail. */
  readonly announced: (
    tx: StoreTx,
    reminder: WrittenReminder,
    unit: BusinessUnit,
    now: number,
  ) => Promise<{ readonly methodId: string; readonly amount?: number } | null>;
}

const REMINDERS: readonly Reminder[] = [
  {
    kind: 'payment-reminder',
    find: (tx, { slug }, today, page) => tx.messages.upcoming.scheduled(slug, addDays(today, 1), page),
    announced: async (tx, { about }, { paymentMethods }) => {
      const schedule = await tx.schedules.get(about);
      const method = schedule?.status === 'scheduled' ? await tx.methods.get(schedule.methodId) : null;
      if (schedule === null || method === null) return null;
      return chargeObstacle(method, paymentMethods, schedule.date) === null ? schedule : null;
    },
  },
  {
    kind: 'autopay-reminder',
    find: async (tx, { slug, autopay }, today, page) => {
      if (autopay === 'merchant') return [];
      const days = { from: addDays(today, 1), to: addDays(today, REMINDER_DAYS) };
      return tx.messages.upcoming.autopay(slug, days, page);
    },
    announced: async (tx, { about, customerId, facts }, unit, now) => {
      const [accountId = ''] = about.split(' ');
      const enrollment = await tx.autopay.ofAccount(accountId);
      if (enrollment?.customerId !== customerId || enrollment?.dueDate !== facts.date) return null;

      const bill = await billOf(tx, accountId);
      const next = enrollment && (await remindedCharge(tx, enrollment, bill, unit, now));
      return next && { methodId: enrollment.methodId, amount: next.amount };
    },
  },
  {
    kind: 'card-expiring',
    find: (tx, { slug }, today, page) => tx.messages.upcoming.expiringCards(slug, monthOf(today), page),
    announced: async (tx, { about }, { timeZone }, now) => {
      const [methodId = '', expiry] = about.split(' ');
      const method = await tx.methods.get(methodId);
      const isExpiring = method?.expiry === expiry && expiry === monthOf(dayIn(now, timeZone));
      if (!isExpiring) return null;

      const uses = (await tx.methods.uses([methodId])).get(methodId);
      return uses?.includes('autopay') === true ? { methodId } : null;
    },
  },
];

/** What to write next for a business unit. */
interface Turn {
  readonly id: string;
  readonly unit: BusinessUnit;
  readonly today: string;
  /** The kinds that are left. */
  readonly reminders: readonly Reminder[];
  /** The last subject of the previous page. */
  readonly after: ReminderSubject | null;
}

/** The month of a day, like an expiry: `MM/YY`. */
const monthOf = (day: string): string => `${day.slice(5, 7)}/${day.slice(2, 4)}`;

/**
 * Tracks the last day for which each business unit's reminders have been written. After a reload, others may be due.
 */
export class Reminders {
  readonly #parts: Parts;
  readonly #doneDays = new WeakMap<BusinessUnit, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Writes the reminders of business units where it is past nine o'clock, a page of each unit in turn. Other processes
   * may do the same.
   */
  async write(runner: ItemRunner, signal: AbortSignal): Promise<void> {
    let turns = this.#firstTurns();
    while (turns.length > 0 && !signal.aborted) {
      const current = turns;
      turns = [];
      await runner.each({
        find: async () => current,
        limit: Infinity,
        about: ({ id }) => ({ businessUnit: id }),
        work: async (turn) => {
          const next = await this.#writePage(turn);
          if (next) turns.push(next);
          else this.#doneDays.set(turn.unit, turn.today);
          return true;
        },
      });
    }
  }

  #firstTurns(): Turn[] {
    const { config, clock } = this.#parts;
    const now = clock.now();
    return config.businessUnits
      .filter(({ slug }) => messageSettings(config, slug)?.reminders === true)
      .filter((unit) => hourIn(now, unit.timeZone) >= FIRST_HOUR)
      .map((unit) => ({
        id: unit.slug,
        unit,
        today: dayIn(now, unit.timeZone),
        reminders: REMINDERS,
        after: null,
      }))
      .filter(({ unit, today }) => this.#doneDays.get(unit) !== today);
  }

  /** Returns the unit's next turn, or null if all its reminders are written. */
  async #writePage(turn: Turn): Promise<Turn | null> {
    const { unit, today, reminders, after } = turn;
    const [reminder, ...others] = reminders;
    if (reminder === undefined) return null;

    const last = await this.#parts.store.transaction(async (tx) => {
      const found = await reminder.find(tx, unit, today, { after, limit: BATCH_SIZE });
      for (const subject of found) await this.#writeOne(tx, reminder.kind, unit, subject);
      return found.length === BATCH_SIZE ? (found.at(-1) ?? null) : null;
    });
    return last === null ? { ...turn, reminders: others, after: null } : { ...turn, after: last };
  }

  async #writeOne(
    tx: StoreTx,
    kind: MessageKind,
    unit: BusinessUnit,
    { about, customerId, sessionId, accountId, date }: ReminderSubject,
  ): Promise<void> {
    if (about === undefined) return;

    const { clock, newId } = this.#parts;
    const now = clock.now();
    const account = await tx.accounts.get(accountId);
    const known = defined({ date, accountNumbers: account ? [fullNumber(account)] : undefined });
    const facts = await reminderNow(tx, { kind, about, customerId, facts: known }, unit, now);
    if (facts === null) return;

    const to = { customerId, businessUnit: unit.slug, id: sessionId };
    await writeNotice(tx, { kind, about, facts }, to, { now, newId });
  }
}

/**
 * Reads the facts of a reminder again, because AutoPay may now charge another amount or method. Null if the payment was
 * canceled, changed or already made, or will fail.
 */
export async function reminderNow(
  tx: StoreTx,
  reminder: WrittenReminder,
  unit: BusinessUnit,
  now: number,
): Promise<MessageFacts | null> {
  const { date, accountNumbers } = reminder.facts;
  if (date !== undefined && date <= dayIn(now, unit.timeZone)) return null;

  const { announced } = REMINDERS.find(({ kind }) => kind === reminder.kind) ?? {};
  const charged = await announced?.(tx, reminder, unit, now);
  return charged
    ? reminderFacts(tx, charged.methodId, defined({ amount: charged.amount, date, accountNumbers }))
    : null;
}
