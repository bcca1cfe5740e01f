import Link from 'next/link';
import { bill } from '../bill';
import { PayInPage } from '../checkout';
import { Outcome } from '../outcome';

export default function Page() {
  return (
    <section className="card" aria-labelledby="pay-title">
      <div className="stack">
        <h2 id="pay-title">November bill</h2>
        <p>
          <Link href="/">Back to the bill</Link>
        </p>
        {bill.state === 'due' ? <PayInPage /> : <Outcome state={bill.state} />}
      </div>
    </section>
  );
}
