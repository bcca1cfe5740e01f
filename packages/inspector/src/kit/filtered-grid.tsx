/** A table of all records of a kind, with a search field and filters, which are stored in the address. */
import type { ComponentChildren } from 'preact';
import type { InspectorEvent } from '@shared/inspector.js';
import { labelOf } from '@shared/label-of.js';
import { navigate, useAddress, withQuery } from '../address.js';
import { useData } from '../use-data.js';
import { Grid, type GridProps } from './grid.js';
import { Missing } from './parts.js';

interface RecordsProps<T> extends FilteredGridProps<T> {
  /** Path to fetch the records from. `concerns` returns whether an event changes them. */
  path: string;
  concerns: (event: InspectorEvent) => boolean;
  /** Shown if there are no records. */
  nothing: ComponentChildren;
}

export function Records<T>({ path, concerns, nothing, ...grid }: Omit<RecordsProps<T>, 'items'>) {
  const { value: items, problem } = useData<T[]>(path, concerns);
  if (!items) return <Missing problem={problem} />;
  return items.length === 0 ? <p class="nothing">{nothing}</p> : <FilteredGrid {...grid} items={items} />;
}

interface FilteredGridProps<T> extends GridProps<T> {
  /** What to search for, such as "Id or customer". */
  placeholder: string;
  textOf: (item: T) => string;
  /** Fields to filter by, by label. */
  choices: Readonly<Record<string, (item: T) => string>>;
}

function FilteredGrid<T>({
  placeholder,
  textOf,
  choices,
  ...grid
}: FilteredGridProps<T>): preact.JSX.Element {
  const address = useAddress();
  const read = (name: string): string => address.searchParams.get(name) ?? '';
  const change = (name: string, value: string): void =>
    navigate(withQuery(address, { [name]: value }), 'replace');
  const fields = Object.entries(choices).map(([label, valueOf]) => {
    const name = label.toLowerCase();
    const chosen = read(name);
    const known = new Set([...grid.items.map(valueOf), ...(chosen === '' ? [] : [chosen])]);
    return { label, name, chosen, valueOf, known: [...known].toSorted() };
  });
  const items = grid.items.filter(
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
        {fields.map(({ label, name, chosen, known }) => (
          <label key={name}>
            {label}
            <select
              name={name}
              value={chosen}
              onChange={({ currentTarget }) => change(name, currentTarget.value)}
            >
              <option value="">All</option>
              {known.map((each) => (
                <option key={each} value={each}>
                  {labelOf(each)}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      {items.length === 0 ? (
        <p class="nothing">
          Nothing matches. <a href={address.pathname}>Show all</a>.
        </p>
      ) : (
        <Grid {...grid} items={items} />
      )}
    </>
  );
}
