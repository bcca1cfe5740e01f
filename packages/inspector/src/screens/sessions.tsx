/** All sessions, newest first. */
import type { InspectorEvent, SessionLine } from '@shared/inspector.js';
import { Records, ShortId, type Columns } from '../kit/grid.js';
import { labelOf, money, Status, Time } from '../kit/parts.js';

const COLUMNS: Columns<SessionLine> = {
  Session: ({ id }) => <ShortId list="sessions" id={id} />,
  Status: ({ status }) => <Status of={status} />,
  Flow: ({ flow }) => labelOf(flow),
  Amount: ({ amount }) => amount !== undefined && money(amount),
  Customer: ({ customer }) => <span title={customer}>{customer}</span>,
  Created: ({ createdAt }) => <Time at={createdAt} />,
};

const concerns = ({ kind }: InspectorEvent): boolean => kind === 'session' || kind === 'clock';

export function Sessions(): preact.JSX.Element {
  return (
    <Records<SessionLine>
      path="/sessions"
      concerns={concerns}
      nothing={
        <>
          No sessions yet. <a href="/try">Try a request</a>.
        </>
      }
      label="Sessions"
      keyOf={({ id }) => id}
      columns={COLUMNS}
    />
  );
}
