/** Messages to payers, newest first. */
import { labelOf, type MailLine } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { Age, type Columns, Records } from '../kit/grid.js';
import { Facts, Panel, Status } from '../kit/parts.js';
import { useAbout } from '../use-data.js';

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
          Kind: ({ kind }) => kind,
          Status: ({ status }) => status,
          Channel: ({ channel }) => CHANNELS[channel],
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

export function ReviewedLanguage({ language }: { language: string }): preact.JSX.Element {
  const about = useAbout();
  const known = about?.languages.find((each) => each.language === language);
  return (
    <>
      {NAMES.of(language)}
      {known && ` (${reviewOf(known.reviewedBy).toLowerCase()})`}
    </>
  );
}
