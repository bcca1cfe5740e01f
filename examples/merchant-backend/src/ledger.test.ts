import type { SessionDetails, SessionPayment } from '@embedded-sessions/server-types';
import { describe, expect, it } from 'vitest';
import {
  balanceOf,
  dueDateOf,
  newCustomer,
  openSession,
  payableOf,
  pendingOf,
  recordPayments,
  recordScheduled,
} from './ledger.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const customer = openSession(newCustomer('00000001aaaa', NOW), 'stg_1', 'HL-1');

const payment = (change: Partial<SessionPayment>): SessionPayment => ({
  Id: 'pay_1',
  Amount: 7_630,
  Refunded: 0,
  Method: 'ACH',
  Status: 'succeeded',
  Last4: '6789',
  CreatedAt: '2026-11-21T12:01:00Z',
  ...change,
});

const details = (change: Partial<SessionDetails>): SessionDetails => ({
  PaymentSessionIdentifier: 'stg_1',
  Flow: 'payment',
  Status: 'Succeeded',
  Charges: [],
  Payments: [payment({})],
  CreatedAt: '2026-11-21T12:00:00Z',
  ExpiresAt: '2026-11-21T12:30:00Z',
  ...change,
});
const pending = details({ Status: 'Processing', Payments: [payment({ Status: 'pending' })] });

describe('the ledger', () => {
  it('owes one bill with a due date for a new customer', () => {
    expect([balanceOf(customer), dueDateOf(customer)]).toEqual([7_630, '2026-12-09']);
  });

  it('records a payment once, even if it is reported repeatedly', () => {
    const processing = recordPayments(customer, pending);
    expect([balanceOf(processing), pendingOf(processing)]).toEqual([0, 7_630]);
    expect(processing.openSessions).toMatchObject([{ id: 'stg_1' }]);

    const paid = recordPayments(recordPayments(processing, details({})), details({}));
    expect([balanceOf(paid), pendingOf(paid)]).toEqual([0, 0]);
    expect(paid.entries.filter(({ id }) => id === 'pay_1')).toMatchObject([
      { date: '2026-11-21', label: 'Payment, bank account ending in 6789', amount: 7_630, status: 'paid' },
    ]);
    expect([paid.openSessions, paid.endedSessions]).toEqual([[], 1]);
  });

  it('R-57 takes no second payment for what is scheduled, but still owes it', () => {
    const scheduled = {
      Identifier: 'sch_1',
      Amount: 1_000,
      Date: '2026-11-25',
      Status: 'scheduled',
    } as const;
    const after = recordScheduled(customer, scheduled);
    expect([payableOf(after), balanceOf(after)]).toEqual([6_630, 7_630]);
  });

  it('counts a session as ended after ten declined payments', () => {
    const declined = (count: number) => {
      const Payments = Array.from({ length: count }, (_, n) =>
        payment({ Id: `pay_${n}`, Status: 'declined' }),
      );
      return recordPayments(customer, details({ Status: 'RequiresPaymentSource', Payments })).endedSessions;
    };
    expect([declined(9), declined(10)]).toEqual([0, 1]);
  });

  it.each(['declined', 'returned'])('leaves the bill unpaid after a %s payment', (Status) => {
    const failed = recordPayments(
      recordPayments(customer, pending),
      details({ Status: 'Failed', Payments: [payment({ Status })] }),
    );
    expect(balanceOf(failed)).toBe(7_630);
    expect(failed.entries.at(-1)?.status).toBe(Status);
  });

  it('R-33 credits the amount that the payer chose', () => {
    const paid = recordPayments(customer, details({ Payments: [payment({ Amount: 5_000 })] }));
    expect(balanceOf(paid)).toBe(2_630);
  });
});
