/** One event in one line: time, title and links. */
import type { InspectorEvent } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { Kind, Time } from './parts.js';

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

export function EventRow({ event }: { event: InspectorEvent }): preact.JSX.Element {
  const { at, clock, kind, level, title, sessionId } = event;
  return (
    <div class={`event ${level}`}>
      <span class="when">
        <Time at={at} />
      </span>
      <span class="when business">
        {Math.abs(Date.parse(clock) - Date.parse(at)) > SAME_MS ? (
          <Time at={clock} />
        ) : (
          <span class="same">same</span>
        )}
      </span>
      <Kind kind={kind} />
      <a class="title" href={targetOf(event)} title={title}>
        {level === 'error' && <span class="mark">Error: </span>}
        {title}
      </a>
      <span class="of">
        {sessionId !== undefined && (
          <a href={addressOf('sessions', sessionId)} title={sessionId}>
            {`…${sessionId.slice(-6)}`}
          </a>
        )}
      </span>
    </div>
  );
}
