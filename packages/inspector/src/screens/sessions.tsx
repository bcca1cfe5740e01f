import type { InspectorEvent, SessionLine } from '../../../service/src/shared/inspector.js';
import { addressOf } from '../address.js';
import { Missing, Status, Time } from '../kit/parts.js';
import { useData } from '../use-data.js';

const concerns = ({ kind }: InspectorEvent): boolean => kind === 'session' || kind === 'clock';

export function Sessions(): preact.JSX.Element {
  const { value: sessions, problem } = useData<SessionLine[]>('/sessions', concerns);
  if (!sessions) return <Missing problem={problem} />;
  if (sessions.length === 0)
    return (
      <p class="nothing">
        No sessions yet. <a href="/try">Try a request</a>.
      </p>
    );
  return (
    <ul class="lines" aria-label="Sessions">
      {sessions.map(({ id, flow, status, businessUnit, createdAt }) => (
        <li key={id}>
          <a href={addressOf('sessions', id)}>
            <code>{id}</code>
          </a>
          <span>{flow}</span>
          <Status of={status} />
          <span class="soft">{businessUnit}</span>
          <span class="when">
            <Time at={createdAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
