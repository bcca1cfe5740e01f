/** Writes reminders of scheduled payments, AutoPay charges and expiring cards. */
import type { Deps } from '../deps.js';
import { promisedCharge, type NextCharge } from '../autopay/due.js';
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
  type ReminderSubject,
} from '../messages/rules.js';
import { executionProblem } from '../schedules/scheduling.js';
import { sourceFacts, writeNotice, type Notice } from '../messages/write.js';

/** Days between a reminder and its AutoPay charge. Regulation E requires ten if amounts vary. */
const AUTOPAY_DAYS = 10;
/** Reminders per transaction. */
const BATCH_SIZE = 100;

type Parts = Pick<Deps, 'env' | 'store' | 'clock' | 'config' | 'newId'>;

interface Reminder {
  readonly kind: MessageKind;
  /** Finds the next subjects behind the last one. */
  readonly find: (
    tx: StoreTx,
    unit: BusinessUnit,
    today: string,
    last: ReminderSubject | null,
  ) => Promise<ReminderSubject[]>;
}

const REMINDERS: readonly Reminder[] = [
  {
    kind: 'payment-reminder',
    find: (tx, { slug }, today, last) =>
      tx.messages.upcoming.scheduled(slug, addDays(today, 1), last, BATCH_SIZE),
  },
  {
    kind: 'autopay-reminder',
    find: async (tx, { slug, autopay }, today, last) => {
      if (autopay === 'merchant') return [];
      const days = { from: addDays(today, 1), to: addDays(today, AUTOPAY_DAYS) };
      return tx.messages.upcoming.autopay(slug, days, last, BATCH_SIZE);
    },
  },
  {
    kind: 'card-expiring',
    find: (tx, { slug }, today, last) =>
      tx.messages.upcoming.expiringCards(slug, monthOf(today), last, BATCH_SIZE),
  },
];

/** Tracks the last day for which each business unit's reminders have been written. */
export class Reminders {
  readonly #parts: Parts;
  readonly #doneDays = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Writes the reminders of business units where it is past nine o'clock. Other processes may do the same. */
  async write(runner: ItemRunner, signal: AbortSignal): Promise<void> {
    const { config, clock } = this.#parts;
    const now = clock.now();
    await runner.each({
      find: async () =>
        config.businessUnits
          .filter(({ slug }) => messageSettings(config, slug)?.reminders === true)
          .filter((unit) => hourIn(now, unit.timeZone) >= FIRST_HOUR)
          .filter((unit) => this.#doneDays.get(unit.slug) !== dayIn(now, unit.timeZone))
          .map((unit) => ({ id: unit.slug, unit })),
      limit: Infinity,
      about: ({ id }) => ({ businessUnit: id }),
      work: async ({ unit }) => {
        const today = dayIn(now, unit.timeZone);
        for (const reminder of REMINDERS) await this.#writeAll(reminder, unit, today, signal);
        if (!signal.aborted) this.#doneDays.set(unit.slug, today);
        return true;
      },
    });
  }

  async #writeAll(reminder: Reminder, unit: BusinessUnit, today: string, signal: AbortSignal): Promise<void> {
    const { store } = this.#parts;
    let last: ReminderSubject | null | undefined = null;
    while (last !== undefined && !signal.aborted) {
      const earlier: ReminderSubject | null = last;
      last = await store.transaction(async (tx) => {
        const found = await reminder.find(tx, unit, today, earlier);
        for (const subject of found)
          if (subject.about !== undefined)
            await this.#writeOne(tx, { kind: reminder.kind, about: subject.about }, unit, subject);
        return found.length === BATCH_SIZE ? found.at(-1) : undefined;
      });
    }
  }

  async #writeOne(
    tx: StoreTx,
    { kind, about }: Pick<Notice, 'kind' | 'about'>,
    unit: BusinessUnit,
    subject: ReminderSubject,
  ): Promise<void> {
    const { clock, newId } = this.#parts;
    const now = clock.now();
    const { customerId, sessionId, accountId, methodId, ...due } = subject;
    const { amount, date } =
      kind === 'autopay-reminder' ? ((await chargeOf(tx, accountId, unit, now)) ?? {}) : due;
    if (kind !== 'card-expiring' && amount === undefined) return;

    const [account, method] = await Promise.all([tx.accounts.get(accountId), tx.methods.get(methodId)]);
    if (
      kind === 'payment-reminder' &&
      (method === null || executionProblem(method, unit.paymentMethods) !== null)
    )
      return;

    const facts = {
      ...defined({ amount, date }),
      ...(method ? sourceFacts(method) : {}),
      ...(account === null ? {} : { accountNumber: account.accountNumber }),
    };
    await writeNotice(
      tx,
      { kind, about, facts },
      { customerId, businessUnit: unit.slug, id: sessionId },
      { now, newId },
    );
  }
}

/** The month of a day, like an expiry: `MM/YY`. */
const monthOf = (day: string): string => `${day.slice(5, 7)}/${day.slice(2, 4)}`;

/**
 * The facts of a reminder as they are now: AutoPay may charge another amount by now, or another method. Null if the payment
 * was canceled, changed or already made, or will fail.
 */
export async function currentFacts(
  tx: StoreTx,
  { kind, about, customerId, facts }: PayerMessage,
  unit: BusinessUnit,
  now: number,
): Promise<MessageFacts | null> {
  const { date } = facts;
  const today = dayIn(now, unit.timeZone);
  if (date !== undefined && date <= today) return null;

  if (kind === 'payment-reminder') {
    const schedule = await tx.schedules.get(about);
    const method = schedule?.status === 'scheduled' ? await tx.methods.get(schedule.methodId) : null;
    return method !== null && executionProblem(method, unit.paymentMethods) === null ? facts : null;
  }

  const [id = '', expiry] = about.split(' ');
  if (kind === 'card-expiring') {
    const method = await tx.methods.get(id);
    const isExpiring = method?.expiry === expiry && expiry === monthOf(today);
    return isExpiring && (await tx.autopay.usesMethod(id)) ? facts : null;
  }

  const enrollment = await tx.autopay.ofAccount(id);
  if (enrollment?.customerId !== customerId || enrollment?.dueDate !== date) return null;

  const next = await chargeOf(tx, id, unit, now);
  const method = enrollment && (await tx.methods.get(enrollment.methodId));
  const { accountNumber } = facts;
  return (
    next &&
    method && {
      amount: next.amount,
      ...defined({ date }),
      ...sourceFacts(method),
      ...defined({ accountNumber }),
    }
  );
}

/** Resolves to null if AutoPay will charge nothing. */
async function chargeOf(
  tx: StoreTx,
  accountId: string,
  unit: BusinessUnit,
  now: number,
): Promise<NextCharge | null> {
  const enrollment = await tx.autopay.ofAccount(accountId);
  return enrollment && promisedCharge(tx, enrollment, unit, now);
}
