/** Parts of page responses, as typed in `shared/page.ts`. */
import { isBlank } from '@embedded-sessions/server-types/schemas';
import type { CurrentBill } from '../../accounts/current-bill.js';
import { whyPayerMustPay, shownCharge, type AutopayUnit, type DueContext } from '../../autopay/due.js';
import { receiptNumber, type PaymentMethod } from '@embedded-sessions/server-types';
import type { Charge, ManagedAccount, PaymentSessionRequest } from '../../core/requests.js';
import type { Attempt } from '../../payments/rules/attempt.js';
import type { Enrollment } from '../../autopay/rules.js';
import { dayIn, iso } from '../../core/day.js';
import { walletEntry, type WalletEntry } from '../../wallet/methods.js';
import { chargeObstacle } from '../../wallet/rules.js';
import type { Schedule } from '../../schedules/rules.js';
import type { StoreTx } from '../../core/store.js';
import type {
  AutopayEnrollment,
  ChargeTexts,
  PageAccount,
  ReceiptFacts,
  Receipt,
  ReceiptAccount,
  SavedMethod,
  ScheduledPayment,
} from '../../shared/page.js';
import type { Refunds } from '../../refunds/rules.js';
import { defined } from '../../core/defined.js';

export async function receipt(
  refundsOf: Refunds['succeeded'],
  request: PaymentSessionRequest,
  attempt: Attempt,
): Promise<Receipt> {
  const refunds = attempt.refunded > 0 ? await refundsOf(attempt.id) : [];
  return {
    ...receiptFacts(attempt),
    attemptId: attempt.requestId,
    holder: attempt.source.holder,
    status: attempt.status === 'pending' ? 'pending' : 'succeeded',
    charges: attempt.charges.map(({ index, amount }) => {
      const requested = request.Charges[index];
      const account = requested?.ClientAccount && named(requested.ClientAccount);
      return defined({ index, amount, ...chargeTexts(requested), account });
    }),
    ...(refunds.length > 0
      ? { refunds: refunds.map(({ amount, createdAt }) => ({ amount, at: iso(createdAt) })) }
      : {}),
  };
}

export function receiptFacts(attempt: Attempt): ReceiptFacts {
  const { method, brand, last4 } = attempt.source;
  return defined({
    number: receiptNumber(attempt.id),
    amount: attempt.amount,
    method,
    brand,
    last4,
    paidAt: iso(attempt.answeredAt ?? attempt.createdAt),
  });
}

/** What a payer reads about a charge, on the form and on the receipt. */
export function chargeTexts(charge: Charge | undefined): ChargeTexts {
  return defined({ description: textOf(charge?.Description) });
}

const textOf = (text = ''): string | undefined => (isBlank(text) ? undefined : text);

function named({ AccountNumber, SubAccountNumber, Name }: ManagedAccount): ReceiptAccount {
  return defined({ accountNumber: AccountNumber, subAccountNumber: SubAccountNumber ?? '', name: Name });
}

export function savedMethod({ method: saved, isDefault, uses }: WalletEntry): SavedMethod {
  const { id, method, brand, last4, expiry, holder, blocked, name } = saved;
  return defined({ id, method, brand, last4, expiry, holder, name, isDefault, blocked, usedBy: uses });
}

export async function autopayView(
  tx: StoreTx,
  enrollment: Enrollment,
  bill: CurrentBill | null,
  unit: AutopayUnit,
  context: DueContext,
): Promise<AutopayEnrollment> {
  const next = await shownCharge(tx, enrollment, bill, unit, context);
  const scheduled = await tx.attempts.scheduledFor(enrollment.accountId);
  const charges = scheduled.map(({ amount, chargeOn = '' }) => ({ amount, date: chargeOn }));
  const left = await whyPayerMustPay(tx, enrollment, bill, unit, context);

  const entry = await entryOf(tx, enrollment.methodId);
  const today = dayIn(context.now, unit.timeZone);
  const dates = [{ date: today }, ...charges, ...(next ? [next] : [])].map(({ date }) => date).sort();
  const [problem] = dates.flatMap((date) => {
    const obstacle = chargeObstacle(entry.method, unit.paymentMethods, date > today ? date : today);
    return obstacle === null ? [] : [{ obstacle, date }];
  });
  // Obstacles don't go away by themselves.
  const isPossible = ({ date }: { readonly date: string }) => problem === undefined || date < problem.date;
  const possible = charges.filter(isPossible);
  return defined({
    method: savedMethod(entry),
    enrolledOn: dayIn(enrollment.enrolledAt, unit.timeZone),
    next: next && isPossible(next) ? { amount: next.amount, date: next.date } : undefined,
    scheduled: possible.length > 0 ? possible : undefined,
    problem,
    failed: left === 'failed' || undefined,
    overdue: left === 'overdue' || undefined,
  });
}

/** @param methods a cache, because many payments share a method */
export async function scheduleView(
  tx: StoreTx,
  schedule: Schedule,
  accepted: readonly PaymentMethod[],
  methods: Map<string, WalletEntry> = new Map(),
): Promise<ScheduledPayment> {
  const { id, amount, date, status, reason, methodId } = schedule;
  const entry = methods.get(methodId) ?? (await entryOf(tx, methodId));
  methods.set(methodId, entry);
  const problem = status === 'scheduled' ? chargeObstacle(entry.method, accepted, date) : null;
  const method = savedMethod(entry);
  return defined({ id, amount, date, method, status, reason, problem: problem ?? undefined });
}

async function entryOf(tx: StoreTx, methodId: string): Promise<WalletEntry> {
  const entry = await walletEntry(tx, methodId);
  if (!entry) throw new Error('A method in use is missing from the database.');
  return entry;
}

export function accountView(account: ManagedAccount): PageAccount {
  const { AccountNumber, SubAccountNumber, Name, Balance, PhoneNumber, DueDate, IssueDate, Note, Address } =
    account;
  return defined({
    accountNumber: AccountNumber,
    subAccountNumber: SubAccountNumber ?? '',
    name: Name,
    balance: Balance,
    phoneNumber: PhoneNumber,
    dueDate: DueDate,
    issueDate: IssueDate,
    note: Note,
    address:
      Address &&
      defined({
        streetAddress: Address.StreetAddress,
        streetAddress2: Address.StreetAddress2,
        city: Address.City,
        state: Address.State,
        zipCode: Address.ZipCode,
      }),
  });
}
