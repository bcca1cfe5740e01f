import Link from 'next/link';
import { PayInPage } from '../checkout';

export default function Page() {
  return (
    <>
      <p>
        <Link href="/">Back to the bill</Link>
      </p>
      <PayInPage />
    </>
  );
}
