/** Events, newest first, with links to what they are about. */
import type { InspectorEvent } from '@shared/inspector.js';
import { labelOf } from '@shared/label-of.js';
import { addressOf } from '../address.js';
import { ShortId, Table, type Columns } from './grid.js';
import { Time } from './parts.js';

/** The path of the event's subject. */
function targetOf({ kind, requestId, sessionId, webhookId, mailId }: InspectorEvent): string {
  if (webhookId !== undefined) return addressOf('webhooks', webhookId);
  if (mailId !== undefined) return addressOf('mail', mailId);
  if ((kind === 'request' || kind === 'page') && requestId !== undefined)
    return addressOf('requests', requestId);
  if (sessionId !== undefined) return addressOf('sessions', sessionId);
  if (requestId !== undefined) return addressOf('requests', requestId);
  if (kind === 'clock') return '/clock';
  return kind === 'fault' ? '/faults' : '/';
}

/** Below this difference, the service's clock counts as real time. */
const SAME_MS = 1_000;

const COLUMNS: Columns<InspectorEvent> = {
  'Real time': ({ at }) => <Time at={at} />,
  'Business time': ({ at, clock }) =>
    Math.abs(Date.parse(clock) - Date.parse(at)) > SAME_MS ? (
      <Time at={clock} />
    ) : (
      <span class="same">same</span>
    ),
  Kind: ({ kind }) => <span class="kind">{labelOf(kind)}</span>,
  What: (event) => (
    <a class="title" href={targetOf(event)} title={event.title}>
      {event.level === 'error' && <b>Error: </b>}
      {event.title}
    </a>
  ),
  Session: ({ sessionId }) => sessionId !== undefined && <ShortId list="sessions" id={sessionId} />,
};

export function EventGrid({ events }: { events: readonly InspectorEvent[] }): preact.JSX.Element {
  return (
    <Table
      label="Events"
      items={events}
      keyOf={({ id }) => String(id)}
      columns={COLUMNS}
      classOf={({ level }) => `event ${level}`}
    />
  );
}
