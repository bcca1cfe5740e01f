/** A form for each API call, sent with the inspector's own key, with a link to the result. */
import { useState } from 'preact/hooks';
import type { About, Form, Json, Sent } from '@shared/inspector.js';
import { post } from '../api.js';
import { addressOf, navigate, useAddress, withQuery } from '../address.js';
import { say } from '../kit/action.js';
import { Code, Missing, Panel, pretty, Status } from '../kit/parts.js';
import { Properties } from '../kit/schema-field.js';
import { isObject, type JsonObject, type Schema } from '../schema.js';
import { useData } from '../use-data.js';

export function Try(): preact.JSX.Element {
  const address = useAddress();
  const { value: forms, problem } = useData<Form[]>('/try');
  const { value: about } = useData<About>('/about');
  if (!forms || !about) return <Missing problem={problem} />;

  const form = forms.find(({ path }) => path === address.searchParams.get('call')) ?? forms[0];
  if (!form) return <p class="nothing">The API has no calls.</p>;
  return (
    <>
      <label class="wide">
        Call
        <select
          value={form.path}
          onChange={({ currentTarget }) =>
            navigate(withQuery(address, { call: currentTarget.value }), 'replace')
          }
        >
          {forms.map(({ path, title }) => (
            <option key={path} value={path}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <p class="soft">
        <code>POST {form.path}</code>
      </p>
      <Call key={form.path} form={form} businessUnit={about.businessUnits[0]?.slug ?? ''} />
    </>
  );
}

/** The example, with a new reference, because a reference is only valid once. */
function sendable(example: Json, businessUnit: string): Json {
  const fitting: JsonObject = {
    BusinessUnitSlug: businessUnit,
    businessUnitSlug: businessUnit,
    ClientReference: `try-${Date.now().toString(36)}`,
  };
  if (!isObject(example)) return example;
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, fitting[name] ?? value]));
}

interface CallProps {
  form: Form;
  businessUnit: string;
}

function Call({ form: { path, schema, example }, businessUnit }: CallProps): preact.JSX.Element {
  const [body, setBody] = useState<Json>(() => sendable(example, businessUnit));
  const [key, setKey] = useState('');
  const [sent, setSent] = useState<Sent>();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;

    setBusy(true);
    try {
      setSent(await post<Sent>('/try', { path, body, ...(key === '' ? {} : { idempotencyKey: key }) }));
    } catch (error) {
      say({ text: (error as Error).message, isError: true });
    }
    setBusy(false);
  };
  return (
    <div class="columns">
      <form class="try" onSubmit={(event) => void send(event)}>
        <Properties schema={schema as Schema} value={body} onChange={(value) => setBody(value ?? {})} />
        <label>
          Idempotency key
          <input value={key} onInput={({ currentTarget }) => setKey(currentTarget.value)} />
        </label>
        <button type="submit" class="main" aria-busy={isBusy}>
          Send
        </button>
      </form>
      <div>
        {sent && (
          <Panel title="Answer">
            <p class="lead" role="status">
              <Status of={sent.status} /> {sent.message}
            </p>
            <p class="actions">
              {sent.sessionId !== undefined && (
                <a href={addressOf('sessions', sent.sessionId)}>Follow the session</a>
              )}
              {sent.requestId !== undefined && (
                <a href={addressOf('requests', sent.requestId)}>See the request</a>
              )}
            </p>
            <Code label="Answer body" text={pretty(sent.answer)} />
          </Panel>
        )}
        <Panel title="Body">
          <Code label="Request body" text={pretty(body)} />
        </Panel>
      </div>
    </div>
  );
}
