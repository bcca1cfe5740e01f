import type { FaultInput, FaultView } from '@shared/inspector.js';
import { post, remove } from '../api.js';
import { Action } from '../kit/action.js';
import { EventGrid } from '../kit/grid.js';
import { Placeholder, Panel } from '../kit/parts.js';
import { useEvents, useData } from '../live.js';

const PAY = '/s/*/api/pay';
const INITIATE = '/integrations/embedded/initiate';

const RECIPES: readonly { words: string; fault: FaultInput }[] = [
  { words: 'The response to Pay is lost after the commit', fault: { kind: 'drop-after-commit', path: PAY } },
  { words: 'Pay never arrives', fault: { kind: 'drop-before-commit', path: PAY } },
  { words: 'Pay takes 20 seconds', fault: { kind: 'latency', path: PAY, ms: 20_000 } },
  {
    words: 'A session is created but its response is lost',
    fault: { kind: 'drop-after-commit', path: INITIATE },
  },
  {
    words: 'The API returns 503 three times',
    fault: { kind: 'status', path: '/integrations', status: 503, times: 3 },
  },
  { words: 'The API returns 429 once', fault: { kind: 'status', path: '/integrations', status: 429 } },
  { words: 'The page loads slowly', fault: { kind: 'latency', path: '/s/*/api/session', ms: 5_000 } },
];

export function Faults(): preact.JSX.Element {
  const { value: armed, problem } = useData<FaultView[]>('/faults');
  const faultEvents = useEvents()
    .filter(({ kind }) => kind === 'fault')
    .toReversed()
    .slice(0, 20);
  if (!armed) return <Placeholder problem={problem} />;

  return (
    <>
      <Panel title="Armed">
        {armed.length === 0 && <p class="nothing">No fault is armed.</p>}
        <ul class="lines" aria-label="Armed faults">
          {armed.map(({ kind, left, path, ms, status }, index) => (
            <li key={index}>
              <code>{kind}</code>
              <span>{left === 1 ? '1 time left' : `${left} times left`}</span>
              <code>{path ?? 'any request'}</code>
              {ms !== undefined && <span>{`${ms} ms`}</span>}
              {status !== undefined && <span>{status}</span>}
            </li>
          ))}
        </ul>
        <div class="actions">
          <Action kind="danger" disabled={armed.length === 0} run={() => remove('/faults')} done="Disarmed.">
            Disarm all
          </Action>
        </div>
      </Panel>
      <Panel title="Recipes">
        <div class="actions">
          {RECIPES.map(({ words, fault }) => (
            <Action key={words} run={() => post('/faults', fault)} done={`Armed: ${words}.`}>
              {words}
            </Action>
          ))}
        </div>
      </Panel>
      <Panel title="What happened">
        <EventGrid events={faultEvents} nothing="No fault has hit yet." />
      </Panel>
    </>
  );
}
