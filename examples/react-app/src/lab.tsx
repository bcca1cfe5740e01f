import { useId, useState } from 'react';
import { postNextBill, type SiteView } from './site.js';

/** Developer tools for trying out the example. */
export function Lab(props: {
  environment: string;
  other: string;
  wrongLoader: boolean;
  onWrongLoader: (on: boolean) => void;
  onView: (view: SiteView) => void;
}) {
  const { environment, other, wrongLoader, onWrongLoader, onView } = props;
  const id = useId();
  const [problem, setProblem] = useState('');
  return (
    <section className="card lab stack" aria-labelledby="lab-title">
      <h2 id="lab-title">Try it</h2>
      <dl>
        <div>
          <dt>Card that pays</dt>
          <dd>
            <code>4242 4242 4242 4242</code>
            <br />
            any future date, any three digits
          </dd>
        </div>
        <div>
          <dt>Card that is declined</dt>
          <dd>
            <code>4000 0000 0000 0002</code>
          </dd>
        </div>
        <div>
          <dt>Bank account: routing and account number</dt>
          <dd>
            <code>110000000</code> and <code>000123456789</code>
          </dd>
        </div>
      </dl>
      <div className="switch">
        <input
          id={id}
          type="checkbox"
          role="switch"
          checked={wrongLoader}
          onChange={(event) => onWrongLoader(event.target.checked)}
        />
        <label htmlFor={id}>
          Try the {environment} session with the {other} loader
        </label>
        <span className="muted small">Then press Pay: it is refused before anything opens.</span>
      </div>
      <div className="row">
        <button
          type="button"
          className="button button--small"
          onClick={() =>
            void postNextBill().then(onView, (error: unknown) =>
              setProblem(error instanceof Error ? error.message : String(error)),
            )
          }
        >
          Post the next bill
        </button>
      </div>
      {problem && (
        <p role="alert" className="notice notice--bad">
          {problem}
        </p>
      )}
    </section>
  );
}
