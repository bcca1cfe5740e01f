import type { InspectorEvent, WebhookLine } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { Grid, Records, ShortId, type Columns } from '../kit/grid.js';
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
  Created: ({ createdAt }) => <Time at={createdAt} />,
};

const concerns = ({ kind }: InspectorEvent): boolean => kind === 'webhook';

export function Webhooks(): preact.JSX.Element {
  return (
    <Records<WebhookLine>
      path="/webhooks"
      concerns={concerns}
      nothing="No webhooks yet. They are sent if the config has a webhook address."
      label="Webhooks"
      keyOf={({ id }) => id}
      columns={COLUMNS}
    />
  );
}

export function WebhookGrid({ webhooks }: { webhooks: readonly WebhookLine[] }): preact.JSX.Element {
  return <Grid label="Webhooks" items={webhooks} keyOf={({ id }) => id} columns={COLUMNS} />;
}
