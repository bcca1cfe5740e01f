import Link from 'next/link';
import { bill, dollars } from './bill';
import { PayButton } from './checkout';
import { Outcome } from './outcome';

const PILLS = { due: 'Due', processing: 'On its way', paid: 'Paid' };

export default function Page() {
  return (
    <section className="card" aria-labelledby="bill-title">
      <div className="stack">
        <div className="row row--apart">
          <h2 id="bill-title">November bill</h2>
          <span className={bill.state === 'paid' ? 'pill pill--ok' : 'pill'}>{PILLS[bill.state]}</span>
        </div>
        <p className="amount">{dollars(bill.amount)}</p>
        {bill.state === 'due' ? (
          <>
            <PayButton amount={dollars(bill.amount)} />
            <p>
              <Link href="/inline">Pay in the page instead</Link>
            </p>
          </>
        ) : (
          <Outcome state={bill.state} />
        )}
      </div>
    </section>
  );
}
