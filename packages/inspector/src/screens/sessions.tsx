import { type SessionLine, labelOf } from '@shared/inspector.js';
import { Age, ShortId, type Columns, Records } from '../kit/grid.js';
import { money, Status } from '../kit/parts.js';

const COLUMNS: Columns<SessionLine> = {
  Session: ({ id }) => <ShortId list="sessions" id={id} />,
  Status: ({ status }) => <Status of={status} />,
  Flow: ({ flow }) => labelOf(flow),
  Amount: ({ amount }) => amount !== undefined && money(amount),
  Customer: ({ customer }) => <span title={customer}>{customer}</span>,
  Age: ({ createdAt }, now) => <Age at={createdAt} now={now} />,
};

export function Sessions(): preact.JSX.Element {
  return (
    <Records<SessionLine>
      path="/sessions"
      nothing={
        <>
          No sessions yet. <a href="/try">Try a request</a>.
        </>
      }
      label="Sessions"
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
