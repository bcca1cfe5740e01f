import Link from 'next/link';
import { redirect } from 'next/navigation';
import { bill } from '../bill';
import { PayInPage } from '../checkout';

export default function Page() {
  if (bill.state !== 'Due') redirect('/');
  return (
    <section className="card stack" aria-labelledby="pay-title">
      <h2 id="pay-title">November bill</h2>
      <Link href="/">Back to the bill</Link>
      <PayInPage />
    </section>
  );
}
