import Link from 'next/link';
import { PayInPage } from '../checkout';

export default function Page() {
  return (
    <section className="card" aria-labelledby="pay-title">
      <h2 id="pay-title">November bill</h2>
      <p>
        <Link href="/">Back to the bill</Link>
      </p>
      <PayInPage />
    </section>
  );
}
