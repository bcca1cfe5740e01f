import Link from 'next/link';
import { bill, dollars } from './bill';
import { PayButton } from './checkout';

export default function Page() {
  return (
    <section className="card stack" aria-labelledby="bill-title">
      <div className="row row--apart">
        <h2 id="bill-title">November bill</h2>
        <span className="pill">{bill.state}</span>
      </div>
      <p className="amount">{dollars(bill.amount)}</p>
      {bill.state === 'Due' ? (
        <>
          <PayButton amount={dollars(bill.amount)} />
          <Link href="/inline">Pay in the page instead</Link>
        </>
      ) : (
        <p role="status" className="notice">
          {bill.state === 'Paid'
            ? 'Thank you. Your bill is paid.'
            : 'Thank you. Your payment is on its way from your bank.'}
        </p>
      )}
    </section>
  );
}
