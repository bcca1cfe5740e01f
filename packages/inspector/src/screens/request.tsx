import type { RequestRecord } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { Copy } from '../kit/action.js';
import { ShortId } from '../kit/grid.js';
import { Changes, Code, Facts, Placeholder, Panel, pretty, Status, Time } from '../kit/parts.js';
import { useData } from '../live.js';

export function Request({ id }: { id: string }): preact.JSX.Element {
  const { value: request, problem } = useData<RequestRecord>(addressOf('requests', id));
  if (!request) return <Placeholder problem={problem} />;

  const { method, path, status, ms, codes, sessionId, businessUnit, idempotencyKey } = request;
  return (
    <>
      <p class="lead">
        <code>
          {method} {path}
        </code>{' '}
        {status === undefined ? 'No response' : <Status of={status} />}
      </p>
      <Facts
        facts={{
          Took: ms === undefined ? undefined : `${ms} ms`,
          'Real time': <Time at={request.at} />,
          'Business time': <Time at={request.clock} />,
          Codes: codes.length > 0 && <code>{codes.join(', ')}</code>,
          'Business unit': businessUnit && <code>{businessUnit}</code>,
          Session: sessionId && <ShortId list="sessions" id={sessionId} />,
          'Idempotency key': idempotencyKey && <code>{idempotencyKey}</code>,
        }}
      />
      {request.curl !== undefined && (
        <div class="actions">
          <Copy text={request.curl}>Copy as curl</Copy>
        </div>
      )}
      <div class="columns">
        <Panel title="Request">
          <Code label="Request body" text={pretty(request.body) || 'Not recorded.'} />
        </Panel>
        <Panel title="Response">
          <Code label="Response body" text={pretty(request.answer) || 'Not recorded.'} />
        </Panel>
      </div>
      <Panel title="Changes">
        <Changes changes={request.changes} />
      </Panel>
    </>
  );
}
