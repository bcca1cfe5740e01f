/** One event in one line: time, title and links. */
import type { InspectorEvent } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { Kind, Time } from './parts.js';

/** The record that an event is about, if it has a screen. */
export function targetOf({ kind, requestId, sessionId, webhookId, mailId }: InspectorEvent): string {
  if (webhookId !== undefined) return addressOf('webhooks', webhookId);
  if (mailId !== undefined) return addressOf('mail', mailId);
  if ((kind === 'request' || kind === 'page') && requestId !== undefined)
    return addressOf('requests', requestId);
  if (sessionId !== undefined) return addressOf('sessions', sessionId);
  if (requestId !== undefined) return addressOf('requests', requestId);
  if (kind === 'clock') return '/clock';
  return kind === 'fault' ? '/faults' : '/';
}

/** Whether the service's clock runs in real time. */
const SAME_MS = 1_000;

/** Whether the event is from this process of the service. */
const shortId = (id: number): number => id % 1_000_000;

export function EventRow({
  event,
  isMarked = false,
  tabIndex,
}: {
  event: InspectorEvent;
  isMarked?: boolean;
  /** `tabIndex` of its links. */
  tabIndex?: number | undefined;
}): preact.JSX.Element {
  const { id, at, clock, kind, level, title, sessionId } = event;
  return (
    <div class={`event ${level} ${isMarked ? 'marked' : ''}`}>
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
      <a class="title" href={targetOf(event)} title={title} tabIndex={tabIndex}>
        {level === 'error' && <span class="mark">Error: </span>}
        {title}
      </a>
      <span class="of">
        {sessionId !== undefined && (
          <a href={addressOf('sessions', sessionId)} tabIndex={tabIndex} title={sessionId}>
            {`…${sessionId.slice(-6)}`}
          </a>
        )}
      </span>
      <a class="permalink" href={`/?event=${id}`} aria-label={`Event ${shortId(id)}`} tabIndex={tabIndex}>
        #{shortId(id)}
      </a>
    </div>
  );
}
