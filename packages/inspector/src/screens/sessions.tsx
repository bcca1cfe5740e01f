import { type SessionLine, labelOf, type SessionRecord } from '@shared/inspector.js';
import { addressOf } from '../address.js';
import { post } from '../api.js';
import { Action, Copy, CopyId } from '../kit/action.js';
import { Age, ShortId, type Columns, Records, EventGrid, Grid } from '../kit/grid.js';
import { money, Status, Changes, Code, Facts, Placeholder, Panel, pretty, Time } from '../kit/parts.js';
import { useAbout, useData } from '../live.js';
import { WebhookGrid } from './webhooks.js';

const COLUMNS: Columns<SessionLine> = {
  Session: ({ id }) => <ShortId list="sessions" id={id} />,
  Status: ({ status }) => <Status of={status} />,
  Flow: ({ flow }) => labelOf(flow),
  Amount: ({ amount }) => amount !== undefined && money(amount),
  Customer: ({ customer }) => <span title={customer}>{customer}</span>,
  Age: ({ createdAt }, now) => <Age at={createdAt} now={now} />,
};

export function Sessions(): preact.JSX.Element {
  return (
    <Records<SessionLine>
      path="/sessions"
      nothing={
        <>
          No sessions yet. <a href="/try">Try a request</a>.
        </>
      }
      label="Sessions"
      keyOf={({ id }) => id}
      columns={COLUMNS}
      placeholder="Id, customer or amount"
      textOf={({ id, customer = '', amount }) =>
        `${id} ${customer} ${amount === undefined ? '' : money(amount)}`
      }
      choices={{ flow: ({ flow }) => flow, status: ({ status }) => status }}
    />
  );
}

const OPEN = new Set(['RequiresPaymentSource', 'Open']);

export function Session({ id }: { id: string }): preact.JSX.Element {
  const path = addressOf('sessions', id);
  const { value: session, problem } = useData<SessionRecord>(path);
  if (!session) return <Placeholder problem={problem} />;

  const { flow, status, amount, customer, businessUnit, createdAt, expiresAt, webhooks, events } = session;
  const address = async (): Promise<string> => (await post<{ url: string }>(`${path}/open`)).url;
  const isOpen = OPEN.has(status);
  return (
    <>
      <p class="lead">
        <code>{id}</code> <CopyId id={id} /> {labelOf(flow)} <Status of={status} />{' '}
        {amount !== undefined && <b>{money(amount)}</b>} {customer !== undefined && <span>{customer}</span>}
      </p>
      <div class="actions">
        <Action
          kind="main"
          run={async () => void window.open(await address(), '_blank', 'noopener')}
          done="Opened."
        >
          Open page
        </Action>
        <Copy text={address}>Copy link</Copy>
        <Action disabled={!isOpen} run={() => post(`${path}/expire`)} done="The clock was moved to its end.">
          Expire
        </Action>
        <Action kind="danger" disabled={!isOpen} run={() => post(`${path}/cancel`)} done="Canceled.">
          Cancel
        </Action>
      </div>
      {flow === 'payment' && isOpen && <Pay path={path} />}
      <Facts
        facts={{
          'Business unit': <code>{businessUnit}</code>,
          Created: <Time at={createdAt} />,
          Expires: <Time at={expiresAt} />,
        }}
      />
      <Payments payments={session.payments} path={path} />
      <Panel title="Account sync">
        <Changes changes={session.accounts} />
      </Panel>
      <Panel title="Webhooks">
        <WebhookGrid webhooks={webhooks} />
      </Panel>
      <Panel title="Events">
        <EventGrid events={events} nothing="None since this process started." />
      </Panel>
      <Panel title="Request">
        <Code label="Request of the session" text={pretty(session.request)} />
      </Panel>
    </>
  );
}

function Pay({ path }: { path: string }): preact.JSX.Element {
  const sources = useAbout()?.testSources ?? [];
  return (
    <Panel title="Pay with a test card or account">
      <div class="actions">
        {sources.map(({ kind, last4, does }) => (
          <Action key={last4} run={() => post(`${path}/pay`, { last4 })} done="Sent as its payer.">
            {`${kind} ${last4}: ${does}`}
          </Action>
        ))}
      </div>
    </Panel>
  );
}

type Payment = SessionRecord['payments'][number] & { readonly path: string };

const PAYMENT_COLUMNS: Columns<Payment> = {
  Payment: ({ id }) => <ShortId id={id} />,
  Status: ({ status }) => <Status of={status} />,
  Method: ({ method, last4 }) => methodName(method, last4),
  Amount: ({ amount }) => money(amount),
  Reason: ({ reason }) => reason !== undefined && <code title={reason}>{reason}</code>,
  Age: ({ createdAt }, now) => <Age at={createdAt} now={now} />,
  Lookups: ({ lookups, dueAt }) => (
    <>
      {lookups} {dueAt !== undefined && <Time at={dueAt} />}
    </>
  ),
  Reference: ({ reference }) => reference !== undefined && <ShortId id={reference} />,
  Refunds: (payment) => (
    <>
      {payment.refunded > 0 && <span>{money(payment.refunded)} refunded</span>}{' '}
      {payment.status === 'succeeded' && payment.refunded < payment.amount && (
        <Action run={() => post(`${payment.path}/refund`, { paymentId: payment.id })} done="Refunded.">
          Refund
        </Action>
      )}
    </>
  ),
};

function Payments({ payments, path }: Pick<SessionRecord, 'payments'> & { path: string }) {
  const items = payments.map((payment) => ({ ...payment, path }));
  return (
    <Panel title="Payments">
      <Grid
        label="Payments"
        items={items}
        nothing="None yet."
        keyOf={({ id }) => id}
        columns={PAYMENT_COLUMNS}
      />
    </Panel>
  );
}

function methodName(method: string, last4: string): string {
  return `${method === 'ACH' ? 'Bank' : 'Card'} ${last4}`;
}
