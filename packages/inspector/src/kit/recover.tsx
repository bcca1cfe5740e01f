/** Recovery after a merchant's outage: resend every message since a time, and enable an address that answered 410. */
import { useState } from 'preact/hooks';
import { post } from '../api.js';
import { Action } from './action.js';
import { Panel } from './parts.js';

export function Recover({
  businessUnit,
  title,
}: {
  businessUnit: string;
  title: string;
}): preact.JSX.Element {
  const [since, setSince] = useState('');
  return (
    <Panel title={title}>
      <div class="actions">
        <label>
          Since
          <input
            type="datetime-local"
            value={since}
            onInput={({ currentTarget }) => setSince(currentTarget.value)}
          />
        </label>
        <Action
          disabled={since === ''}
          run={() => post('/webhooks/recover', { businessUnit, since: new Date(since).toISOString() })}
          done="Sent again."
        >
          Resend
        </Action>
        <Action run={() => post('/webhooks/enable', { businessUnit })} done="Enabled.">
          Enable address
        </Action>
      </div>
    </Panel>
  );
}
