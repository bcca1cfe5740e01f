import { EventGrid, Filtered } from '../kit/grid.js';
import { useEvents } from '../live.js';

/** More rows at once would make the page slow. */
const MAX_SHOWN = 300;

export function Timeline(): preact.JSX.Element {
  return (
    <Filtered
      all={useEvents()}
      nothing={
        <>
          Nothing has happened yet. Send a request, or <a href="/try">try one</a>.
        </>
      }
      placeholder="Words or session"
      textOf={({ title, sessionId = '' }) => `${title} ${sessionId}`}
      choices={{
        kind: ({ kind }) => kind,
        businessUnit: ({ businessUnit = '' }) => businessUnit,
        level: ({ level }) => level,
      }}
    >
      {(found, noMatch) => (
        <>
          <EventGrid events={found.slice(-MAX_SHOWN).toReversed()} nothing={noMatch} />
          {found.length > MAX_SHOWN && (
            <p class="soft">{`The newest ${MAX_SHOWN} of ${found.length}. Filters find older ones.`}</p>
          )}
        </>
      )}
    </Filtered>
  );
}
