/** A table of records. On narrow screens, each row becomes a block of two columns. */
import type { ComponentChildren } from 'preact';
import type { ClockView, InspectorEvent } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { useData } from '../use-data.js';
import { Copy } from './action.js';
import { shortAge } from './short-age.js';

/** Heading and content of each column. `now`: the service's clock, or undefined until it is known. */
export type Columns<T> = Readonly<Record<string, (item: T, now: string | undefined) => ComponentChildren>>;

const CELL_CLASSES: Readonly<Record<string, string>> = { Amount: 'number', What: 'what' };

export interface GridProps<T> {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string;
  columns: Columns<T>;
  classOf?: (item: T) => string;
}

export function Grid<T>(props: GridProps<T>): preact.JSX.Element {
  const { value: clock } = useData<ClockView>('/clock', concerns);
  return <Table {...props} now={clock?.now} />;
}

/** A grid whose columns don't need the service's clock. */
export function Table<T>({
  label,
  items,
  keyOf,
  columns,
  classOf,
  now,
}: GridProps<T> & { now?: string | undefined }): preact.JSX.Element {
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
      <Copy text={id} label={`Copy ${id}`}>
        <CopyIcon />
      </Copy>
    </span>
  );
}

export function CopyIcon(): preact.JSX.Element {
  return (
    <svg class="copy" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M9 9h11v11H9zM15 9V4H4v11h5" />
    </svg>
  );
}

const concerns = ({ kind }: InspectorEvent): boolean =>
  kind === 'clock' || kind === 'session' || kind === 'webhook';

export function Age({ at, now }: { at: string; now: string | undefined }): preact.JSX.Element {
  return (
    <time dateTime={at} title={at}>
      {now && shortAge(at, Date.parse(now))}
    </time>
  );
}
