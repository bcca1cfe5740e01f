/** Tables of records. On narrow screens, each row becomes a block of two columns. */
import type { ComponentChildren } from 'preact';
import type { InspectorEvent } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { useData } from '../use-data.js';
import { Missing } from './parts.js';

/** Heading and content of each column. */
export type Columns<T> = Readonly<Record<string, (item: T) => ComponentChildren>>;

const CELL_CLASSES: Readonly<Record<string, string>> = { Amount: 'number', What: 'what' };

interface GridProps<T> {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string;
  columns: Columns<T>;
  classOf?: (item: T) => string;
}

export function Grid<T>({ label, items, keyOf, columns, classOf }: GridProps<T>): preact.JSX.Element {
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
                {cell(item)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface RecordsProps<T> extends Omit<GridProps<T>, 'items'> {
  /** Path to fetch the records from. `concerns` returns whether an event changes them. */
  path: string;
  concerns: (event: InspectorEvent) => boolean;
  /** Shown if there are no records. */
  nothing: ComponentChildren;
}

/** All records of a kind. */
export function Records<T>({ path, concerns, nothing, ...grid }: RecordsProps<T>): preact.JSX.Element {
  const { value: items, problem } = useData<T[]>(path, concerns);
  if (!items) return <Missing problem={problem} />;
  return items.length === 0 ? <p class="nothing">{nothing}</p> : <Grid {...grid} items={items} />;
}

/** The end of an id as a link to its record. */
export function ShortId({ list, id }: { list: 'sessions' | 'webhooks'; id: string }): preact.JSX.Element {
  return (
    <a class="short-id" href={addressOf(list, id)} title={id}>
      <code>
        <span class="head">{id.slice(0, -8)}</span>
        {id.slice(-8)}
      </code>
    </a>
  );
}
