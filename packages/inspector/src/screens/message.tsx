/** A message to a payer, with a preview. */
import { useState } from 'preact/hooks';
import { type MailRecord, labelOf } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { ShortId } from '../kit/grid.js';
import { Code, Facts, Missing, Panel, Status, Time } from '../kit/parts.js';
import { useData } from '../use-data.js';
import { CHANNELS, ReviewedLanguage } from './mail.js';

export function Message({ id }: { id: string }): preact.JSX.Element {
  const { value: message, problem } = useData<MailRecord>(addressOf('mail', id));
  if (!message) return <Missing problem={problem} />;

  const { subject, kind, channel, to, status, attempts, language, sessionId, unsentReason, html, text } =
    message;
  return (
    <>
      <p class="lead">
        <bdi>{subject}</bdi> <Status of={status} />
      </p>
      {unsentReason !== undefined && (
        <p class="notice">Not sent: {REASONS[unsentReason]}. This is a preview.</p>
      )}
      <Facts
        facts={{
          To: to,
          Channel: CHANNELS[channel],
          Kind: labelOf(kind),
          Language: <ReviewedLanguage language={language} />,
          Attempts: String(attempts),
          'Last error': message.lastError,
          'Next try': message.nextAt === undefined ? undefined : <Time at={message.nextAt} />,
          Created: <Time at={message.createdAt} />,
          'Business unit': message.businessUnit && <code>{message.businessUnit}</code>,
          Session: sessionId && <ShortId list="sessions" id={sessionId} />,
          Identifier: <code>{id}</code>,
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
          <Preview html={html} />
          <Panel title="Plain text">
            <Code label="Text part" text={text} />
          </Panel>
        </>
      )}
    </>
  );
}

const REASONS: Readonly<Record<NonNullable<MailRecord['unsentReason']>, string>> = {
  no_server: 'no mail server is configured',
  too_many: 'the payer got too many texts within a day',
  outdated: 'the payer no longer wants such messages, or what this one says has changed',
};

/** Sandboxed: no scripts, and not this page's origin. */
function Preview({ html }: { html: string }): preact.JSX.Element {
  const [isNarrow, setNarrow] = useState(false);
  const width = (label: string, narrow: boolean): preact.JSX.Element => (
    <button type="button" class="chip" aria-pressed={isNarrow === narrow} onClick={() => setNarrow(narrow)}>
      {label}
    </button>
  );
  return (
    <Panel
      title="Email"
      actions={
        <>
          {width('Desktop', false)}
          {width('Phone', true)}
        </>
      }
    >
      <iframe
        class={isNarrow ? 'mail narrow' : 'mail'}
        title="The message as a mail program shows it"
        src={html}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
      />
    </Panel>
  );
}
