/** Tables of records. On narrow screens, each row becomes a block of two columns. */
import type { ComponentChildren } from 'preact';
import { type ClockView, type InspectorEvent, labelOf, type QueuedLine } from '@shared/inspector.js';
import { addressOf, navigate, useAddress, withQuery } from '../address.js';
import { useData } from '../live.js';
import { CopyId } from './action.js';
import { Placeholder, Select, Time } from './parts.js';
import { shortDuration } from './time.js';

/** Heading and content of each column. `now`: the service's clock, or undefined until it is known. */
export type Columns<T> = Readonly<Record<string, (item: T, now: string | undefined) => ComponentChildren>>;

const CELL_CLASSES: Readonly<Record<string, string>> = { Amount: 'number', What: 'what' };

interface GridProps<T> {
  label: string;
  items: readonly T[];
  /** Shown instead of an empty grid. */
  nothing: ComponentChildren;
  keyOf: (item: T) => string;
  columns: Columns<T>;
  classOf?: (item: T) => string;
}

export function Grid<T>({
  label,
  items,
  nothing,
  keyOf,
  columns,
  classOf,
}: GridProps<T>): preact.JSX.Element {
  const now = useData<ClockView>('/clock').value?.now;
  if (items.length === 0) return <p class="nothing">{nothing}</p>;

  const entries = Object.entries(columns).map(([name, cell]) => ({
    name,
    cell,
    kind: CELL_CLASSES[name],
  }));
  return (
    <table class="grid" aria-label={label}>
      <thead>
        <tr>
          {entries.map(({ name, kind }) => (
            <th key={name} scope="col" class={kind}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={keyOf(item)} class={classOf?.(item)}>
            {entries.map(({ name, kind, cell }) => (
              <td key={name} class={kind}>
                {cell(item, now)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The end of an id, as a link if there is a list of such records, and a button that copies the whole id. */
export function ShortId({ list, id }: { list?: 'sessions' | 'webhooks'; id: string }): preact.JSX.Element {
  const shown = (
    <code title={id}>
      <span class="head">{id.slice(0, -8)}</span>
      {id.slice(-8)}
    </code>
  );
  return (
    <span class="short-id">
      {list === undefined ? shown : <a href={addressOf(list, id)}>{shown}</a>}
      <CopyId id={id} />
    </span>
  );
}

/** What webhooks and messages to payers have in common. */
export function queueFacts(queued: QueuedLine): Record<string, ComponentChildren> {
  const { id, attempts, lastError, nextAt, createdAt, businessUnit, sessionId } = queued;
  return {
    Attempts: String(attempts),
    'Last error': lastError,
    'Next try': nextAt && <Time at={nextAt} />,
    Created: <Time at={createdAt} />,
    'Business unit': <code>{businessUnit}</code>,
    Session: sessionId && <ShortId list="sessions" id={sessionId} />,
    Identifier: <code>{id}</code>,
  };
}

export function Age({ at, now }: { at: string; now: string | undefined }): preact.JSX.Element {
  return (
    <time dateTime={at} title={at}>
      {now && shortDuration(Date.parse(now) - Date.parse(at))}
    </time>
  );
}

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

const EVENT_COLUMNS: Columns<InspectorEvent> = {
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

/** Events with links to what they are about. */
export function EventGrid({
  events,
  nothing,
}: {
  events: readonly InspectorEvent[];
  nothing: ComponentChildren;
}): preact.JSX.Element {
  return (
    <Grid
      label="Events"
      items={events}
      nothing={nothing}
      keyOf={({ id }) => String(id)}
      columns={EVENT_COLUMNS}
      classOf={({ level }) => `event ${level}`}
    />
  );
}

interface Filters<T> {
  placeholder: string;
  /** What the search field searches. */
  textOf: (item: T) => string;
  /** Fields to filter by. */
  choices: Readonly<Record<string, (item: T) => string>>;
}

type RecordsProps<T> = Filters<T> & Omit<GridProps<T>, 'items'> & { path: string };

/** All records of a kind. */
export function Records<T>({ path, ...props }: RecordsProps<T>): preact.JSX.Element {
  const { value: all, problem } = useData<T[]>(path);
  if (!all) return <Placeholder problem={problem} />;
  return (
    <Filtered {...props} all={all}>
      {(items, noMatch) => <Grid {...props} items={items} nothing={noMatch} />}
    </Filtered>
  );
}

interface FilteredProps<T> extends Filters<T> {
  all: readonly T[];
  nothing: ComponentChildren;
  children: (items: readonly T[], noMatch: ComponentChildren) => ComponentChildren;
}

/** A search field and filters, which are stored in the address, and the items that match them. */
export function Filtered<T>({
  all,
  nothing,
  placeholder,
  textOf,
  choices,
  children,
}: FilteredProps<T>): preact.JSX.Element {
  const address = useAddress();
  if (all.length === 0) return <p class="nothing">{nothing}</p>;

  const read = (name: string): string => address.searchParams.get(name) ?? '';
  const change = (name: string, value: string): void =>
    navigate(withQuery(address, { [name]: value }), 'replace');
  const fields = Object.entries(choices).map(([name, valueOf]) => {
    const chosen = read(name);
    const known = new Set([chosen, ...all.map(valueOf)]);
    known.delete('');
    return { name, chosen, valueOf, known: [...known].toSorted() };
  });
  const items = all.filter(
    (item) =>
      textOf(item).toLowerCase().includes(read('q').toLowerCase()) &&
      fields.every(({ chosen, valueOf }) => chosen === '' || valueOf(item) === chosen),
  );
  return (
    <>
      <div class="filters" role="group" aria-label="Filters">
        <label>
          Search
          <input
            type="search"
            name="q"
            value={read('q')}
            placeholder={placeholder}
            onInput={({ currentTarget }) => change('q', currentTarget.value)}
          />
        </label>
        {fields.map(({ name, chosen, known }) => (
          <Select
            key={name}
            label={labelOf(name)}
            value={chosen}
            options={[['', 'All'], ...known.map((each) => [each, labelOf(each)] as const)]}
            onChange={(value) => change(name, value)}
          />
        ))}
      </div>
      {children(
        items,
        <>
          Nothing matches. <a href={address.pathname}>Show all</a>.
        </>,
      )}
    </>
  );
}
