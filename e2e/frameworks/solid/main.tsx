import type { SessionRef } from '@embedded-sessions/loader';
import { createSignal, Show } from 'solid-js';
import { render } from 'solid-js/web';
import { createSession, define, payInModal } from '../loader';

define();

function App() {
  const [status, setStatus] = createSignal('');
  const [session, setSession] = createSignal<SessionRef>();
  const [paid, setPaid] = createSignal(false);
  return (
    <>
      <h1>Bill</h1>
      <button type="button" onClick={async () => setStatus(await payInModal())}>
        Pay in a modal
      </button>
      <output>{status()}</output>
      <button type="button" onClick={async () => setSession(await createSession())}>
        Pay
      </button>
      <embedded-flow
        flow="payment"
        prop:session={session()}
        on:settled={(event) => setPaid(event.detail.status === 'completed')}
      />
      <Show when={paid()}>
        <p role="status">Thank you</p>
      </Show>
    </>
  );
}

render(() => <App />, document.querySelector('#app')!);
