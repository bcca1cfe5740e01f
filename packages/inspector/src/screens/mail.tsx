/** Messages to payers, newest first. */
import type { InspectorEvent, MailLine } from '@shared/inspector.js';
import { labelOf } from '@shared/label-of.js';
import { addressOf } from '../address.js';
import { Records } from '../kit/filtered-grid.js';
import { Age, type Columns } from '../kit/grid.js';
import { Status } from '../kit/parts.js';
import { Reviewers } from '../kit/reviewers.js';

const COLUMNS: Columns<MailLine> = {
  Subject: ({ id, subject }) => (
    <a href={addressOf('mail', id)} title={subject}>
      <bdi>{subject}</bdi>
    </a>
  ),
  Status: ({ status }) => <Status of={status} />,
  To: ({ to }) => <span title={to}>{to}</span>,
  Kind: ({ kind }) => labelOf(kind),
  Channel: ({ channel }) => CHANNELS[channel],
  Age: ({ createdAt }, now) => <Age at={createdAt} now={now} />,
};

export const CHANNELS: Readonly<Record<MailLine['channel'], string>> = { email: 'Email', sms: 'SMS' };

const concerns = ({ kind }: InspectorEvent): boolean => kind === 'message' || kind === 'clock';

export function Mail(): preact.JSX.Element {
  return (
    <>
      <Records<MailLine>
        path="/mail"
        concerns={concerns}
        nothing={
          <>
            No messages yet. Payers get them if the config has <code>email</code> or <code>sms</code>, and the
            session names a customer.
          </>
        }
        label="Messages"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        placeholder="Subject or recipient"
        textOf={({ subject, to }) => `${subject} ${to}`}
        choices={{
          Kind: ({ kind }) => kind,
          Status: ({ status }) => status,
          Channel: ({ channel }) => CHANNELS[channel],
        }}
      />
      <Reviewers />
    </>
  );
}
