/** All sessions, newest first. */
import type { InspectorEvent, SessionLine } from '@shared/inspector.js';
import { FilteredGrid } from '../kit/filtered-grid.js';
import { Age, ShortId, type Columns } from '../kit/grid.js';
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
  if (!sessions) return <Missing problem={problem} />;
  if (sessions.length === 0)
    return (
      <p class="nothing">
        No sessions yet. <a href="/try">Try a request</a>.
      </p>
    );
  return (
    <FilteredGrid
      label="Sessions"
      items={sessions}
      keyOf={({ id }) => id}
      columns={COLUMNS}
      placeholder="Id, customer or amount"
      textOf={({ id, customer = '', amount }) =>
        `${id} ${customer} ${amount === undefined ? '' : money(amount)}`
      }
      choices={{ Flow: ({ flow }) => flow, Status: ({ status }) => status }}
    />
  );
}
