// The merchant's page in these tests, with React's development build. Records events on `window`.
import { Activity, Profiler, StrictMode, useEffect, useState, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { createLoader } from '@embedded-sessions/loader';
import {
  EmbeddedFlow,
  EmbeddedProvider,
  useEmbeddedPayment,
  type EmbeddedEvent,
  type PaymentResult,
  type SessionRef,
} from '@embedded-sessions/react';

declare global {
  interface Window {
    loaderUrl: string;
    events: EmbeddedEvent[];
    results: PaymentResult[];
    /** Number of React commits of the merchant's tree so far. */
    commits: number;
  }
}
window.events = [];
window.results = [];
window.commits = 0;

const loader = createLoader({ environment: 'staging', loaderUrl: window.loaderUrl });
const kind = new URLSearchParams(location.search).get('kind');

async function session({ signal }: { signal: AbortSignal }): Promise<SessionRef> {
  const response = await fetch('/session', { method: 'POST', signal });
  return (await response.json()) as SessionRef;
}

const onSettled = (result: PaymentResult): number => window.results.push(result);

function Modal(): ReactElement {
  const { pay, status } = useEmbeddedPayment({ session, onSettled });
  return (
    <p>
      <button onClick={pay}>Pay the bill</button> <output>{status}</output>
    </p>
  );
}

/** A route whose modal opens and closes with it. */
function Route(): ReactElement {
  const { pay, abort, status } = useEmbeddedPayment({ session, onSettled });
  useEffect(() => {
    void pay();
    return abort;
  }, [pay, abort]);
  return <output>{status}</output>;
}

function App(): ReactElement {
  const [mode, setMode] = useState<'visible' | 'hidden' | 'gone'>('visible');
  return (
    <>
      <h1>Bill</h1>
      <nav>
        {(['visible', 'hidden', 'gone'] as const).map((mode) => (
          <button key={mode} onClick={() => setMode(mode)}>
            {mode}
          </button>
        ))}
      </nav>
      <Profiler id="merchant" onRender={() => window.commits++}>
        {mode !== 'gone' && (
          <Activity mode={mode}>
            {kind === 'modal' ? (
              <Modal />
            ) : kind === 'route' ? (
              <Route />
            ) : (
              <EmbeddedFlow
                flow="payment"
                session={session}
                aria-label="Your payment"
                onSettled={onSettled}
              />
            )}
          </Activity>
        )}
      </Profiler>
    </>
  );
}

createRoot(document.querySelector('main')!).render(
  <StrictMode>
    <EmbeddedProvider loader={loader} preload onEvent={(event) => window.events.push(event)}>
      <App />
    </EmbeddedProvider>
  </StrictMode>,
);
