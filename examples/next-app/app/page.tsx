import Link from 'next/link';
import { bill, dollars } from './bill';
import { PayButton } from './checkout';

export default function Page() {
  if (bill.due === 0) return <p>Thank you. Your bill is paid.</p>;
  return (
    <>
      <p>
        {bill.customer}, {dollars(bill.due)} is due.
      </p>
      <PayButton amount={dollars(bill.due)} />
      <p>
        <Link href="/inline">Pay in the page instead</Link>
      </p>
    </>
  );
}
