import type { About, InspectorEvent, WebhookLine } from '../../../service/src/shared/inspector.js';
import { addressOf } from '../address.js';
import { Missing, Status, Time } from '../kit/parts.js';
import { Recover } from '../kit/recover.js';
import { useData } from '../use-data.js';

const concerns = ({ kind }: InspectorEvent): boolean => kind === 'webhook';

export function Webhooks(): preact.JSX.Element {
  const { value: webhooks, problem } = useData<WebhookLine[]>('/webhooks', concerns);
  const { value: about } = useData<About>('/about');
  if (!webhooks) return <Missing problem={problem} />;
  return (
    <>
      {webhooks.length === 0 && (
        <p class="nothing">No webhooks yet. They are sent where the config names an address for them.</p>
      )}
      <ul class="lines" aria-label="Webhooks">
        {webhooks.map((webhook) => (
          <WebhookItem key={webhook.id} webhook={webhook} />
        ))}
      </ul>
      {about?.businessUnits.map(({ slug, name }) => (
        <Recover
          key={slug}
          businessUnit={slug}
          title={about.businessUnits.length === 1 ? 'Send many again' : `Send many again: ${name}`}
        />
      ))}
    </>
  );
}

export function WebhookItem({
  webhook: { id, type, status, attempts, createdAt, nextAt, lastError },
}: {
  webhook: WebhookLine;
}): preact.JSX.Element {
  return (
    <li>
      <a href={addressOf('webhooks', id)}>
        <code>{type}</code>
      </a>
      <Status of={status} />
      <span>{attempts === 1 ? '1 attempt' : `${attempts} attempts`}</span>
      {lastError !== undefined && <span class="bad">{lastError}</span>}
      {nextAt !== undefined && (
        <span>
          next <Time at={nextAt} />
        </span>
      )}
      <span class="when">
        <Time at={createdAt} />
      </span>
    </li>
  );
}
