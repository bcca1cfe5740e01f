import Link from 'next/link';
import { bill, dollars } from './bill';
import { PayButton } from './checkout';

export default function Page() {
  return (
    <section className="card" aria-labelledby="bill-title">
      <div className="stack">
        <div className="row row--apart">
          <h2 id="bill-title">November bill</h2>
          <span className={bill.due > 0 ? 'pill' : 'pill pill--ok'}>{bill.due > 0 ? 'Due' : 'Paid'}</span>
        </div>
        <p className="amount">{dollars(bill.due)}</p>
        {bill.due > 0 ? (
          <>
            <PayButton amount={dollars(bill.due)} />
            <p>
              <Link href="/inline">Pay in the page instead</Link>
            </p>
          </>
        ) : (
          <p className="notice notice--ok">Thank you. Your bill is paid.</p>
        )}
      </div>
    </section>
  );
}
