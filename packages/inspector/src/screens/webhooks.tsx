import type { WebhookLine, WebhookRecord } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { post } from '../api.js';
import { Action } from '../kit/action.js';
import { Age, Grid, queueFacts, ShortId, type Columns, Records } from '../kit/grid.js';
import { Status, Time, Code, Facts, Placeholder, Panel, pretty } from '../kit/parts.js';
import { useData } from '../live.js';

const COLUMNS: Columns<WebhookLine> = {
  Type: ({ id, type }) => (
    <a href={addressOf('webhooks', id)}>
      <code>{type}</code>
    </a>
  ),
  Status: ({ status }) => <Status of={status} />,
  Session: ({ sessionId }) => sessionId !== undefined && <ShortId list="sessions" id={sessionId} />,
  Delivery: ({ attempts, lastError }) => (
    <>
      {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
      {lastError !== undefined && <span class="bad"> · {lastError}</span>}
    </>
  ),
  Next: ({ nextAt }) => nextAt !== undefined && <Time at={nextAt} />,
  Age: ({ createdAt }, now) => <Age at={createdAt} now={now} />,
};

export function Webhooks(): preact.JSX.Element {
  return (
    <Records<WebhookLine>
      path="/webhooks"
      nothing="No webhooks yet. They are sent if the config has a webhook address."
      label="Webhooks"
      keyOf={({ id }) => id}
      columns={COLUMNS}
      placeholder="Id or session"
      textOf={({ id, sessionId = '' }) => `${id} ${sessionId}`}
      choices={{ type: ({ type }) => type, status: ({ status }) => status }}
    />
  );
}

export function WebhookGrid({ webhooks }: { webhooks: readonly WebhookLine[] }): preact.JSX.Element {
  return <Grid label="Webhooks" items={webhooks} nothing="None." keyOf={({ id }) => id} columns={COLUMNS} />;
}

export function Webhook({ id }: { id: string }): preact.JSX.Element {
  const path = addressOf('webhooks', id);
  const { value: webhook, problem } = useData<WebhookRecord>(path);
  if (!webhook) return <Placeholder problem={problem} />;

  const { type, status, businessUnit, tries } = webhook;
  return (
    <>
      <p class="lead">
        <code>{type}</code> <Status of={status} />
      </p>
      <Facts
        facts={{
          Address: <code>{webhook.url}</code>,
          ...queueFacts(webhook),
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
