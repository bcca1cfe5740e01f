/** The payments of a session, with refunds. */
import { useState } from 'preact/hooks';
import type { SessionRecord } from '@shared/inspector.js';
import { post } from '../api.js';
import { Action } from './action.js';
import { Age, Grid, ShortId, type Columns } from './grid.js';
import { money, Panel, Status, Time } from './parts.js';

/** A payment and the path of its session. */
type Payment = SessionRecord['payments'][number] & { readonly path: string };

const COLUMNS: Columns<Payment> = {
  Payment: ({ id }) => <ShortId id={id} />,
  Status: ({ status }) => <Status of={status} />,
  Method: ({ method, last4 }) => methodName(method, last4),
  Amount: ({ amount }) => money(amount),
  Reason: ({ reason }) => reason !== undefined && <code title={reason}>{reason}</code>,
  Age: ({ createdAt }, now) => <Age at={createdAt} now={now} />,
  Lookups: ({ lookups, dueAt }) =>
    (lookups > 0 || dueAt !== undefined) && (
      <>
        {lookups > 0 && `${lookups} so far `}
        {dueAt !== undefined && (
          <>
            next <Time at={dueAt} />
          </>
        )}
      </>
    ),
  Reference: ({ reference }) => reference !== undefined && <ShortId id={reference} />,
  Refunds: (payment) => (
    <>
      {payment.refunded > 0 && <span>{money(payment.refunded)} refunded</span>}
      {payment.status === 'succeeded' && payment.refunded < payment.amount && <Refund payment={payment} />}
    </>
  ),
};

/** Only the columns that one of the payments fills. */
const columnsOf = (payments: readonly Payment[]): Columns<Payment> =>
  Object.fromEntries(
    Object.entries(COLUMNS).filter(([, cell]) =>
      payments.some((payment) => cell(payment, undefined) !== false),
    ),
  );

export function Payments({ payments, path }: Pick<SessionRecord, 'payments'> & { path: string }) {
  const items = payments.map((payment) => ({ ...payment, path }));
  return (
    <Panel title="Payments">
      {payments.length === 0 ? (
        <p class="nothing">None yet.</p>
      ) : (
        <Grid label="Payments" items={items} keyOf={({ id }) => id} columns={columnsOf(items)} />
      )}
    </Panel>
  );
}

/** `Card 4242`. */
export function methodName(method: string, last4: string): string {
  return `${method === 'ACH' ? 'Bank' : 'Card'} ${last4}`;
}

function Refund({ payment: { id, amount, refunded, path } }: { payment: Payment }): preact.JSX.Element {
  const left = amount - refunded;
  const [dollars, setDollars] = useState((left / 100).toFixed(2));
  return (
    <div class="refund">
      <input
        type="number"
        name="refund-amount"
        aria-label="Amount in dollars"
        min="0.01"
        step="0.01"
        max={left / 100}
        value={dollars}
        onInput={({ currentTarget }) => setDollars(currentTarget.value)}
      />
      <Action
        run={() => post(`${path}/refund`, { paymentId: id, amount: Math.round(Number(dollars) * 100) })}
        done="Refunded."
      >
        Refund
      </Action>
    </div>
  );
}
