import type { WebhookLine } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { Age, Grid, ShortId, type Columns, Records } from '../kit/grid.js';
import { Status, Time } from '../kit/parts.js';

const COLUMNS: Columns<WebhookLine> = {
  Type: ({ id, type }) => (
    <a href={addressOf('webhooks', id)}>
      <code>{type}</code>
    </a>
  ),
  Status: ({ status }) => <Status of={status} />,
  Session: ({ sessionId }) => sessionId !== undefined && <ShortId list="sessions" id={sessionId} />,
  Delivery: ({ attempts, lastError }) => (
    <>
      {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
      {lastError !== undefined && <span class="bad"> · {lastError}</span>}
    </>
  ),
  Next: ({ nextAt }) => nextAt !== undefined && <Time at={nextAt} />,
  Age: ({ createdAt }, now) => <Age at={createdAt} now={now} />,
};

export function Webhooks(): preact.JSX.Element {
  return (
    <Records<WebhookLine>
      path="/webhooks"
      nothing="No webhooks yet. They are sent if the config has a webhook address."
      label="Webhooks"
      keyOf={({ id }) => id}
      columns={COLUMNS}
      placeholder="Id or session"
      textOf={({ id, sessionId = '' }) => `${id} ${sessionId}`}
      choices={{ Type: ({ type }) => type, Status: ({ status }) => status }}
    />
  );
}

export function WebhookGrid({ webhooks }: { webhooks: readonly WebhookLine[] }): preact.JSX.Element {
  return <Grid label="Webhooks" items={webhooks} keyOf={({ id }) => id} columns={COLUMNS} />;
}
