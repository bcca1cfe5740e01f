import { useEmbeddedPayment, type PaymentResult } from '@embedded-sessions/react';
import { useState } from 'react';
import { InlineFlow } from './inline-flow.js';
import { Notice, failed, type Message } from './notice.js';
import { confirmPayments, createSession, messageOf, type SiteView } from './site.js';

const CANCELED = 'Nothing was charged.';
const EXPIRED = 'Your session has expired. Please start again.';
const NO_PAYMENT = 'We have not received a payment. Check again in a moment before you pay.';

export function Bill(props: { bill: SiteView['bill']; inline: boolean; onView: (view: SiteView) => void }) {
  const { bill, inline, onView } = props;
  const [message, setMessage] = useState<Message>();
  const [isShown, setShown] = useState(false);
  const { pay, status } = useEmbeddedPayment({
    session: ({ signal }) => createSession('payment', signal),
    onSettled: (result) => void settle(result),
  });

  async function settle(result: PaymentResult): Promise<void> {
    setShown(false);
    if (result.status === 'failed') return setMessage({ text: messageOf(result.error), bad: true });
    if (result.status === 'canceled') return setMessage({ text: CANCELED });
    if (result.status === 'expired') return setMessage({ text: EXPIRED });
    // `completed` or `unknown`: the bill is paid once our backend has confirmed it with the service.
    setMessage({ text: 'Confirming your payment…' });
    try {
      const view = await confirmPayments();
      onView(view);
      setMessage(view.bill.thanks ? undefined : { text: NO_PAYMENT });
    } catch (error) {
      const { text } = failed(error);
      setMessage({ text: `We could not confirm your payment yet. ${text}`, bad: true });
    }
  }

  function open(): void {
    setMessage(undefined);
    setShown(inline);
    if (!inline) void pay();
  }

  return (
    <section id="bill" className="card stack" aria-labelledby="bill-title">
      <div className="row row--apart">
        <h2 id="bill-title">{bill.title}</h2>
        <span className="pill">{bill.state}</span>
      </div>
      <p className="amount">{bill.amount}</p>
      <p className="muted">{bill.due}</p>
      {bill.state === 'Due' && (
        <button className="button button--primary" aria-busy={status === 'preparing'} onClick={open}>
          Pay {bill.amount}
        </button>
      )}
      <Notice message={message ?? { text: bill.thanks }} />
      {inline && isShown && (
        <InlineFlow flow="payment" label="Payment" onSettled={(result) => void settle(result)} />
      )}
    </section>
  );
}
