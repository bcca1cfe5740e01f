import { longDay, money, type AccountView } from './site.js';

const PAYMENT_STATUS = {
  paid: 'Paid',
  pending: 'On its way',
  declined: 'Declined',
  returned: 'Returned by the bank',
} as const;

export function Activity({ account }: { account: AccountView }) {
  return (
    <section className="card" aria-labelledby="activity-title">
      <h2 id="activity-title">Activity</h2>
      <table className="activity">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {account.entries.map((entry) => (
            <tr key={entry.id}>
              <th scope="row">
                {entry.label}
                <br />
                <span className="muted small">
                  {longDay(entry.date)}
                  {entry.status && ` · ${PAYMENT_STATUS[entry.status]}`}
                </span>
              </th>
              <td>
                {entry.kind === 'payment' && '−'}
                {money(entry.amount)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
