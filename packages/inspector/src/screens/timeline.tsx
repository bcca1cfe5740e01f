import { useMemo } from 'preact/hooks';
import { EVENT_KINDS, type InspectorEvent, labelOf } from '@shared/inspector.js';
import { navigate, useAddress, withQuery } from '../address.js';
import { EventGrid } from '../kit/grid.js';
import { Select } from '../kit/parts.js';
import { useAbout, useEvents } from '../live.js';

/** More rows at once would make the page slow. */
const MAX_SHOWN = 300;

export function Timeline(): preact.JSX.Element {
  const address = useAddress();
  const query = address.searchParams;
  const [kinds, unit, session, level] = ['kind', 'businessUnit', 'session', 'level'].map(
    (name) => query.get(name) ?? '',
  ) as [string, string, string, string];
  const all = useEvents();
  const isWanted = useMemo(() => {
    const wanted = kinds.split(',').filter((kind) => kind !== '');
    return (event: InspectorEvent): boolean =>
      (wanted.length === 0 || wanted.includes(event.kind)) &&
      (unit === '' || event.businessUnit === unit) &&
      (session === '' || event.sessionId === session) &&
      (level === '' || event.level === level);
  }, [kinds, unit, session, level]);
  const found = useMemo(() => all.filter(isWanted), [all, isWanted]);
  const shown = found.slice(-MAX_SHOWN).toReversed();
  return (
    <div class="timeline">
      <Filters address={address} />
      <EventGrid
        events={shown}
        nothing={
          <>
            {all.length === 0 ? 'Nothing has happened yet. Send a request, or ' : 'Nothing of this kind. '}
            {all.length === 0 ? <a href="/try">try one</a> : <a href="/">Show everything</a>}.
          </>
        }
      />
      {found.length > shown.length && (
        <p class="soft">{`The newest ${MAX_SHOWN} of ${found.length}. Filters find older ones.`}</p>
      )}
    </div>
  );
}

function Filters({ address }: { address: URL }): preact.JSX.Element {
  const about = useAbout();
  const chosen = address.searchParams.get('kind')?.split(',') ?? [];
  const go = (changes: Record<string, string>): void => navigate(withQuery(address, changes), 'replace');
  const units = about?.businessUnits.map(({ slug, name }) => [slug, name] as const) ?? [];
  const toggle = (kind: string): string =>
    (chosen.includes(kind) ? chosen.filter((other) => other !== kind) : [...chosen, kind]).join(',');
  return (
    <div class="filters" role="group" aria-label="Filters">
      <div class="kinds">
        {EVENT_KINDS.map((kind) => (
          <button
            key={kind}
            type="button"
            class="chip"
            aria-pressed={chosen.includes(kind)}
            onClick={() => go({ kind: toggle(kind) })}
          >
            {labelOf(kind)}
          </button>
        ))}
        <button
          type="button"
          class="chip bad"
          aria-pressed={address.searchParams.get('level') === 'error'}
          onClick={() => go({ level: address.searchParams.get('level') === 'error' ? '' : 'error' })}
        >
          Errors
        </button>
      </div>
      <Select
        label="Business unit"
        value={address.searchParams.get('businessUnit') ?? ''}
        options={[['', 'All'], ...units]}
        onChange={(businessUnit) => go({ businessUnit })}
      />
      <label>
        Session
        <input
          type="search"
          placeholder="All"
          value={address.searchParams.get('session') ?? ''}
          onInput={({ currentTarget }) => go({ session: currentTarget.value.trim() })}
        />
      </label>
    </div>
  );
}
