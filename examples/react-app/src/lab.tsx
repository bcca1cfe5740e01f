import { useState } from 'react';
import { Notice, failed, type Message } from './notice.js';
import { postNextBill, type SiteView } from './site.js';

/** Tools for trying out the example. */
export function Lab(props: {
  environment: string;
  other: string;
  wrongLoader: boolean;
  onView: (view: SiteView) => void;
}) {
  const { environment, other, wrongLoader, onView } = props;
  const [problem, setProblem] = useState<Message>();
  return (
    <section className="card stack" aria-labelledby="lab-title">
      <h2 id="lab-title">Try it</h2>
      <dl>
        <dt>Card that pays</dt>
        <dd>4242 4242 4242 4242, any future date, any three digits</dd>
        <dt>Card that is declined</dt>
        <dd>4000 0000 0000 0002</dd>
        <dt>Bank account: routing and account number</dt>
        <dd>110000000 and 000123456789</dd>
      </dl>
      <p>
        {wrongLoader ? (
          <a href="/">Go back to the {environment} loader</a>
        ) : (
          <a href="/?loader=other">
            Try the {environment} session with the {other} loader
          </a>
        )}
      </p>
      <div className="row">
        <button
          className="button"
          onClick={() => void postNextBill().then(onView, (error: unknown) => setProblem(failed(error)))}
        >
          Post the next bill
        </button>
      </div>
      <Notice message={problem} />
    </section>
  );
}
