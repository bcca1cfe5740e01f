/** Messages to payers, newest first. */
import { labelOf, type MailLine, type MailRecord } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { Age, type Columns, queueFacts, Records } from '../kit/grid.js';
import { Facts, Panel, Status, Code, Placeholder } from '../kit/parts.js';
import { useAbout, useData } from '../live.js';

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

const CHANNELS: Readonly<Record<MailLine['channel'], string>> = { email: 'Email', sms: 'SMS' };

export function Mail(): preact.JSX.Element {
  return (
    <>
      <Records<MailLine>
        path="/mail"
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
          kind: ({ kind }) => kind,
          status: ({ status }) => status,
          channel: ({ channel }) => CHANNELS[channel],
        }}
      />
      <Reviewers />
    </>
  );
}

const NAMES = new Intl.DisplayNames('en', { type: 'language' });

const reviewOf = (reviewer: string | null): string =>
  reviewer ? `Reviewed by ${reviewer}` : 'Not reviewed yet';

/** Who has reviewed the texts of each language. */
function Reviewers(): preact.JSX.Element | null {
  const about = useAbout();
  if (about === undefined) return null;
  const reviewed: Record<string, string[]> = {};
  for (const { language, reviewedBy } of about.languages)
    (reviewed[reviewOf(reviewedBy)] ??= []).push(`${NAMES.of(language)} (${language})`);
  const facts = Object.entries(reviewed).map(([review, names]) => [review, names.join(', ')]);
  return (
    <Panel title="Translations">
      <Facts facts={Object.fromEntries(facts)} />
    </Panel>
  );
}

export function Message({ id }: { id: string }): preact.JSX.Element {
  const { value: message, problem } = useData<MailRecord>(addressOf('mail', id));
  if (!message) return <Placeholder problem={problem} />;

  const { subject, kind, channel, to, status, language, html, text } = message;
  return (
    <>
      <p class="lead">
        <bdi>{subject}</bdi> <Status of={status} />
      </p>
      {status === 'unsent' && <p class="notice">Not sent. This is a preview.</p>}
      <Facts
        facts={{
          To: to,
          Channel: CHANNELS[channel],
          Kind: labelOf(kind),
          Language: NAMES.of(language),
          ...queueFacts(message),
        }}
      />
      {html === undefined ? (
        <Panel title="SMS">
          <p class="sms">
            <bdi>{text}</bdi>
          </p>
        </Panel>
      ) : (
        <>
          <Panel title="Email">
            <iframe
              class="mail"
              title="The message as a mail program shows it"
              src={html}
              sandbox="allow-popups allow-popups-to-escape-sandbox"
            />
          </Panel>
          <Panel title="Plain text">
            <Code label="Text part" text={text} />
          </Panel>
        </>
      )}
    </>
  );
}
