/** All events, newest first. */
import { useMemo, useState } from 'preact/hooks';
import { EVENT_KINDS, type About, type InspectorEvent } from '@shared/inspector.js';
import { navigate, useAddress, withQuery } from '../address.js';
import { EventRow } from '../kit/event-row.js';
import { VirtualList } from '../kit/virtual-list.js';
import { useEvents, useMissing } from '../live.js';
import { useData } from '../use-data.js';

export function Timeline(): preact.JSX.Element {
  const address = useAddress();
  const query = address.searchParams;
  const [kinds, unit, session, level] = ['kind', 'businessUnit', 'session', 'level'].map(
    (name) => query.get(name) ?? '',
  ) as [string, string, string, string];
  const all = useEvents();
  /** The frozen list while the user reads: scrolled away, or focused on a row. */
  const [held, hold] = useState<readonly InspectorEvent[] | null>(null);
  const away = (isAway: boolean): void => hold((held) => (isAway ? (held ?? all) : null));
  const draw = (event: InspectorEvent, isActive: boolean): preact.JSX.Element => (
    <EventRow event={event} tabIndex={isActive ? 0 : -1} />
  );
  const isWanted = useMemo(() => {
    const wanted = kinds.split(',').filter((kind) => kind !== '');
    return (event: InspectorEvent): boolean =>
      (wanted.length === 0 || wanted.includes(event.kind)) &&
      (unit === '' || event.businessUnit === unit) &&
      (session === '' || event.sessionId === session) &&
      (level === '' || event.level === level);
  }, [kinds, unit, session, level]);
  const shown = useMemo(() => (held ?? all).filter(isWanted).toReversed(), [held, all, isWanted]);
  const seen = held?.at(-1)?.id ?? 0;
  const waiting = held ? all.filter((event) => event.id > seen && isWanted(event)).length : 0;
  return (
    <div class="timeline">
      <Missed />
      <Filters address={address} />
      {waiting > 0 && (
        <button
          type="button"
          class="fresh"
          onClick={() => {
            hold(null);
            const list = document.querySelector<HTMLElement>('.virtual');
            list?.scrollTo({ top: 0 });
            list?.focus();
          }}
        >
          {`${waiting} newer`}
        </button>
      )}
      {shown.length === 0 && (
        <p class="nothing">
          {all.length === 0 ? 'Nothing has happened yet. Send a request, or ' : 'Nothing of this kind. '}
          {all.length === 0 ? <a href="/try">try one</a> : <a href="/">Show everything</a>}.
        </p>
      )}
      <div class="heads" aria-hidden="true">
        <span>Real time</span>
        <span>Business time</span>
        <span>Kind</span>
        <span>What</span>
        <span>Session</span>
      </div>
      <VirtualList label="Events" items={shown} keyOf={({ id }) => id} row={draw} onAway={away} />
    </div>
  );
}

/** says what the page cannot show. */
function Missed(): preact.JSX.Element | null {
  const [isMissing, read] = useMissing();
  return isMissing ? (
    <p class="notice">
      Earlier events are missing: the service was started again, or keeps no more of them. These are all it
      has.{' '}
      <button type="button" onClick={read}>
        Dismiss
      </button>
    </p>
  ) : null;
}

function Filters({ address }: { address: URL }): preact.JSX.Element {
  const { value: about } = useData<About>('/about');
  const chosen = address.searchParams.get('kind')?.split(',') ?? [];
  const go = (changes: Record<string, string>): void => navigate(withQuery(address, changes), 'replace');
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
            {kind}
          </button>
        ))}
        <button
          type="button"
          class="chip bad"
          aria-pressed={address.searchParams.get('level') === 'error'}
          onClick={() => go({ level: address.searchParams.get('level') === 'error' ? '' : 'error' })}
        >
          errors
        </button>
      </div>
      <label>
        Business unit
        <select
          value={address.searchParams.get('businessUnit') ?? ''}
          onChange={({ currentTarget }) => go({ businessUnit: currentTarget.value })}
        >
          <option value="">all</option>
          {about?.businessUnits.map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Session
        <input
          type="search"
          placeholder="all"
          value={address.searchParams.get('session') ?? ''}
          onInput={({ currentTarget }) => go({ session: currentTarget.value.trim() })}
        />
      </label>
    </div>
  );
}
