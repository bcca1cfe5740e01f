/** All sessions, newest first, filtered by flow, status and words. */
import type { InspectorEvent, SessionLine } from '../../../service/src/shared/inspector.js';
import { navigate, useAddress, withQuery } from '../address.js';
import { Age, Grid, ShortId, type Columns } from '../kit/grid.js';
import { Missing, money, Status } from '../kit/parts.js';
import { useData } from '../use-data.js';

const COLUMNS: Columns<SessionLine> = {
  Session: ({ id }) => <ShortId list="sessions" id={id} />,
  Status: ({ status }) => <Status of={status} />,
  Flow: ({ flow }) => flow,
  Amount: ({ amount }) => amount !== undefined && money(amount),
  Customer: ({ customer }) => <span title={customer}>{customer}</span>,
  Age: ({ createdAt }, now) => <Age at={createdAt} now={now} />,
};

const concerns = ({ kind }: InspectorEvent): boolean => kind === 'session' || kind === 'clock';

export function Sessions(): preact.JSX.Element {
  const { value: sessions, problem } = useData<SessionLine[]>('/sessions', concerns);
  const address = useAddress();
  if (!sessions) return <Missing problem={problem} />;
  if (sessions.length === 0)
    return (
      <p class="nothing">
        No sessions yet. <a href="/try">Try a request</a>.
      </p>
    );

  const [words, flow, status] = ['q', 'flow', 'status'].map(
    (name) => address.searchParams.get(name) ?? '',
  ) as [string, string, string];
  const shown = sessions.filter(
    (session) =>
      (flow === '' || session.flow === flow) &&
      (status === '' || session.status === status) &&
      textOf(session).includes(words.toLowerCase()),
  );
  return (
    <>
      <div class="filters" role="group" aria-label="Filters">
        <label>
          Search
          <input
            type="search"
            name="q"
            value={words}
            placeholder="Id, customer or amount"
            onInput={({ currentTarget }) =>
              navigate(withQuery(address, { q: currentTarget.value }), 'replace')
            }
          />
        </label>
        <Choice name="flow" label="Flow" chosen={flow} of={sessions.map((session) => session.flow)} />
        <Choice name="status" label="Status" chosen={status} of={sessions.map((session) => session.status)} />
      </div>
      {shown.length === 0 ? (
        <p class="nothing">
          No session matches. <a href="/sessions">Show all</a>.
        </p>
      ) : (
        <Grid label="Sessions" items={shown} keyOf={({ id }) => id} columns={COLUMNS} />
      )}
    </>
  );
}

function textOf({ id, customer = '', amount }: SessionLine): string {
  return `${id} ${customer} ${amount === undefined ? '' : money(amount)}`.toLowerCase();
}

interface ChoiceProps {
  /** Of the parameter in the address. */
  name: string;
  label: string;
  chosen: string;
  of: readonly string[];
}

function Choice({ name, label, chosen, of }: ChoiceProps): preact.JSX.Element {
  const address = useAddress();
  return (
    <label>
      {label}
      <select
        name={name}
        value={chosen}
        onChange={({ currentTarget }) =>
          navigate(withQuery(address, { [name]: currentTarget.value }), 'replace')
        }
      >
        <option value="">All</option>
        {[...new Set([...of, ...(chosen === '' ? [] : [chosen])])].toSorted().map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}
