/** The payments of a session, with refunds. */
import { useState } from 'preact/hooks';
import type { SessionRecord } from '@shared/inspector.js';
import { post } from '../api.js';
import { Action } from './action.js';
import { Facts, money, Panel, Status, Time } from './parts.js';

type Payment = SessionRecord['payments'][number];

export function Payments({
  payments,
  path,
}: {
  payments: readonly Payment[];
  path: string;
}): preact.JSX.Element {
  return (
    <Panel title="Payments">
      {payments.length === 0 && <p class="nothing">None yet.</p>}
      <ul class="payments">
        {payments.map((payment) => (
          <li key={payment.id}>
            <p class="actions">
              <b>{money(payment.amount)}</b> {`${payment.method} ${payment.last4}`}
              <Status of={payment.status} />
            </p>
            <Facts
              facts={{
                Refunded: payment.refunded === 0 ? undefined : money(payment.refunded),
                Lookups: String(payment.lookups),
                Due: payment.dueAt === undefined ? undefined : <Time at={payment.dueAt} />,
                Reason: payment.reason && <code>{payment.reason}</code>,
                Reference: payment.reference && <code>{payment.reference}</code>,
                Identifier: <code>{payment.id}</code>,
              }}
            />
            {payment.status === 'succeeded' && payment.refunded < payment.amount && (
              <Refund payment={payment} path={path} />
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Refund({
  payment: { id, amount, refunded },
  path,
}: {
  payment: Payment;
  path: string;
}): preact.JSX.Element {
  const left = amount - refunded;
  const [dollars, setDollars] = useState((left / 100).toFixed(2));
  return (
    <div class="actions">
      <label>
        Amount in dollars
        <input
          type="number"
          name="refund-amount"
          min="0.01"
          step="0.01"
          max={left / 100}
          value={dollars}
          onInput={({ currentTarget }) => setDollars(currentTarget.value)}
        />
      </label>
      <Action
        run={() => post(`${path}/refund`, { paymentId: id, amount: Math.round(Number(dollars) * 100) })}
        done="Refunded."
      >
        Refund
      </Action>
    </div>
  );
}
