import type { WebhookRecord } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { post } from '../api.js';
import { Action } from '../kit/action.js';
import { ShortId } from '../kit/grid.js';
import { Code, Facts, Missing, Panel, pretty, Status, Time } from '../kit/parts.js';
import { useData } from '../use-data.js';

export function Webhook({ id }: { id: string }): preact.JSX.Element {
  const path = addressOf('webhooks', id);
  const { value: webhook, problem } = useData<WebhookRecord>(path);
  if (!webhook) return <Missing problem={problem} />;

  const { type, status, attempts, url, businessUnit, sessionId, createdAt, nextAt, lastError, tries } =
    webhook;
  return (
    <>
      <p class="lead">
        <code>{type}</code> <Status of={status} />
      </p>
      <Facts
        facts={{
          Attempts: String(attempts),
          Address: <code>{url}</code>,
          'Last error': lastError,
          'Next try': nextAt === undefined ? undefined : <Time at={nextAt} />,
          Created: <Time at={createdAt} />,
          'Business unit': <code>{businessUnit}</code>,
          Session: sessionId && <ShortId list="sessions" id={sessionId} />,
          Identifier: <code>{id}</code>,
        }}
      />
      {webhook.silenced && (
        <p class="notice">
          The address returned 410, so nothing is sent to it.{' '}
          <Action run={() => post('/webhooks/enable', { businessUnit })} done="Enabled.">
            Enable it
          </Action>
        </p>
      )}
      <div class="actions">
        <Action kind="main" run={() => post(`${path}/resend`)} done="The message will be sent again.">
          Send again
        </Action>
      </div>
      <Panel title="Attempts">
        {tries.length === 0 ? (
          <p class="nothing">None since this process started.</p>
        ) : (
          <ol class="lines" aria-label="Attempts">
            {tries.map(({ at, clock, ms, status, error, answer }, index) => (
              <li key={index}>
                <Status of={status ?? error ?? 'no response'} isBad={status === undefined} />
                <span>{`${ms} ms`}</span>
                <span class="soft">
                  at <Time at={at} />, business time <Time at={clock} />
                </span>
                {answer !== undefined && <Code label={`Response ${index + 1}`} text={answer} />}
              </li>
            ))}
          </ol>
        )}
      </Panel>
      <Panel title="Body">
        <Code label="Message as JSON" text={pretty(webhook.body)} />
      </Panel>
    </>
  );
}
