/** Sends any API call with the inspector's own key, with a link to the result. */
import { useState } from 'preact/hooks';
import type { Form, Json, Sent } from '@shared/inspector.js';
import { post } from '../api.js';
import { addressOf, navigate, useAddress, withQuery } from '../address.js';
import { showToast } from '../kit/action.js';
import { Code, Placeholder, Panel, pretty, Select, Status } from '../kit/parts.js';
import { useAbout, useData } from '../live.js';

export function Try(): preact.JSX.Element {
  const address = useAddress();
  const { value: forms, problem } = useData<Form[]>('/try');
  const about = useAbout();
  if (!forms || !about) return <Placeholder problem={problem} />;

  const form = forms.find(({ path }) => path === address.searchParams.get('call')) ?? forms[0];
  if (!form) return <p class="nothing">The API has no calls.</p>;
  return (
    <>
      <Select
        label="Call"
        kind="wide"
        value={form.path}
        options={forms.map(({ path, title }) => [path, title] as const)}
        onChange={(call) => navigate(withQuery(address, { call }), 'replace')}
      />
      <p class="soft">
        <code>POST {form.path}</code>
      </p>
      <Call key={form.path} form={form} businessUnit={about.businessUnits[0]?.slug ?? ''} />
    </>
  );
}

/** The example with a new reference, because each reference can be used only once. */
function sendable(example: Form['example'], businessUnit: string): string {
  const fitting: Record<string, Json> = {
    BusinessUnitSlug: businessUnit,
    businessUnitSlug: businessUnit,
    ClientReference: `try-${Date.now().toString(36)}`,
  };
  const fields = Object.entries(example).map(([name, value]) => [name, fitting[name] ?? value]);
  return JSON.stringify(Object.fromEntries(fields), null, 2);
}

interface CallProps {
  form: Form;
  businessUnit: string;
}

function Call({ form: { path, example }, businessUnit }: CallProps): preact.JSX.Element {
  const [body, setBody] = useState(() => sendable(example, businessUnit));
  const [sent, setSent] = useState<Sent>();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;

    setBusy(true);
    try {
      setSent(await post<Sent>('/try', { path, body: JSON.parse(body) as Json }));
    } catch (error) {
      showToast({ text: (error as Error).message, isError: true });
    }
    setBusy(false);
  };
  return (
    <div class="columns">
      <form class="try" onSubmit={(event) => void send(event)}>
        <label>
          Body
          <textarea
            class="code"
            rows={20}
            spellcheck={false}
            value={body}
            onInput={({ currentTarget }) => setBody(currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" aria-busy={isBusy}>
          Send
        </button>
      </form>
      {sent && (
        <Panel title="Response">
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
          <Code label="Response body" text={pretty(sent.answer)} />
        </Panel>
      )}
    </div>
  );
}
