import type { SessionDetails } from '@embedded-sessions/server-types';
import { describe, expect, it } from 'vitest';
import {
  balanceOf,
  dueDateOf,
  newCustomer,
  openSession,
  pendingOf,
  postBills,
  recordCharges,
  recordPayment,
  type Account,
  type Customer,
} from './ledger.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const TODAY = '2026-11-21';

const home = (customer: Customer): Account => customer.accounts[0] as Account;
const boathouse = (customer: Customer): Account => customer.accounts[1] as Account;

function withSession(): Customer {
  const customer = newCustomer('00000001aaaa', NOW);
  return openSession(customer, {
    sessionId: 'stg_1',
    reference: 'HL-1',
    accounts: [home(customer).number],
    basis: 'x',
    state: 'open',
  });
}

const payment = (Method: string, Status: string, Last4: string): SessionDetails['Payments'][number] => ({
  Id: 'pay_1',
  Amount: 7_630,
  Refunded: 0,
  Method,
  Status,
  Last4,
  CreatedAt: '2026-11-21T12:01:00Z',
});

const details = (customer: Customer, change: Partial<SessionDetails>): SessionDetails => ({
  PaymentSessionIdentifier: 'stg_1',
  Flow: 'payment',
  Status: 'Succeeded',
  Charges: [{ Amount: 7_630, ClientAccount: { AccountNumber: home(customer).number } }],
  Payments: [payment('Credit Card', 'succeeded', '4242')],
  CreatedAt: '2026-11-21T12:00:00Z',
  ExpiresAt: '2026-11-21T12:30:00Z',
  ...change,
});

describe('the ledger', () => {
  it('a new customer owes one bill per account, each with a due date', () => {
    const customer = newCustomer('00000001aaaa', NOW);
    expect(customer.accounts.map(balanceOf)).toEqual([7_630, 2_835]);
    expect(dueDateOf(home(customer))).toBe('2026-12-09');
  });

  it('records a payment once, even if it is reported repeatedly and out of order', () => {
    const customer = withSession();
    const pending = details(customer, {
      Status: 'Processing',
      Payments: [payment('ACH', 'pending', '6789')],
    });
    const processing = recordPayment(customer, pending, TODAY);
    expect([balanceOf(home(processing)), pendingOf(home(processing))]).toEqual([0, 7_630]);

    const done = details(customer, {
      Payments: [payment('ACH', 'succeeded', '6789')],
    });
    const paid = recordPayment(recordPayment(processing, done, TODAY), done, '2026-12-01');
    expect([balanceOf(home(paid)), pendingOf(home(paid))]).toEqual([0, 0]);
    expect(home(paid).entries.filter(({ id }) => id.startsWith('stg_1'))).toEqual([
      {
        id: `stg_1/${home(paid).number}`,
        kind: 'payment',
        date: TODAY,
        label: 'Bank account ending in 6789',
        amount: 7_630,
        status: 'paid',
      },
    ]);
    expect(paid.sessions[0]?.state).toBe('settled');
  });

  it('a bank return leaves the bill unpaid', () => {
    const customer = withSession();
    const returned = recordPayment(
      customer,
      details(customer, {
        Status: 'Failed',
        Payments: [payment('ACH', 'returned', '1116')],
      }),
      TODAY,
    );
    expect(balanceOf(home(returned))).toBe(7_630);
    expect(home(returned).entries.at(-1)?.status).toBe('returned');
    expect(returned.sessions[0]?.state).toBe('closed');
  });

  it('removes a pending attempt that is declined', () => {
    const customer = withSession();
    const inFlight = recordPayment(customer, details(customer, { Status: 'Processing' }), TODAY);
    const declined = recordPayment(
      inFlight,
      details(customer, {
        Status: 'RequiresPaymentSource',
        Payments: [payment('Credit Card', 'declined', '0002')],
      }),
      TODAY,
    );
    expect(declined).toEqual(customer);
  });

  it('R-33 credits each account with the amount paid for it', () => {
    const customer = withSession();
    const paid = recordPayment(
      customer,
      details(customer, {
        Charges: [
          { Amount: 7_630, PaidAmount: 5_000, ClientAccount: { AccountNumber: home(customer).number } },
          { Amount: 2_835, PaidAmount: 0, ClientAccount: { AccountNumber: boathouse(customer).number } },
        ],
      }),
      TODAY,
    );
    expect(paid.accounts.map(balanceOf)).toEqual([2_630, 2_835]);
    expect(boathouse(paid).entries).toEqual(boathouse(customer).entries);
  });

  it('stores an AutoPay charge once, even if it is reported repeatedly and out of order', () => {
    const customer = newCustomer('00000001aaaa', NOW);
    const account = home(customer);
    const charge = {
      Id: 'pay_1',
      Amount: balanceOf(account),
      Refunded: 0,
      Method: 'ACH',
      Last4: '6789',
      CreatedAt: '2026-12-14T00:00:05.000Z',
    };
    const pending = recordCharges(customer, account.number, [{ ...charge, Status: 'pending' }]);
    const paid = recordCharges(pending, account.number, [{ ...charge, Status: 'succeeded' }]);
    const again = recordCharges(paid, account.number, [{ ...charge, Status: 'succeeded' }]);
    expect(again).toEqual(paid);
    expect(again.accounts.map(balanceOf)).toEqual([0, ...customer.accounts.slice(1).map(balanceOf)]);
    expect(again.accounts[0]?.entries.at(-1)).toMatchObject({ date: '2026-12-14', status: 'paid' });
  });

  it('adds the next bill to the unpaid balance', () => {
    const customer = postBills(newCustomer('00000001aaaa', NOW), NOW);
    expect(balanceOf(home(customer))).toBe(2 * 7_630);
    expect(new Set(home(customer).entries.map(({ id }) => id)).size).toBe(4);
  });
});
