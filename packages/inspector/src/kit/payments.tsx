/** The payments of a session, with refunds. */
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
              <div class="actions">
                <Action run={() => post(`${path}/refund`, { paymentId: payment.id })} done="Refunded.">
                  Refund the rest
                </Action>
              </div>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
