/** `/sessions`: the newest sessions, each with its payments, webhooks and events, and what a developer does with it. */
import { BACK_OFFICE_ENDPOINTS } from '@embedded-sessions/server-types';
import type { Context, Hono } from 'hono';
import { iso } from '../../core/day.js';
import { defined } from '../../core/defined.js';
import type { Attempt } from '../../payments/rules/attempt.js';
import { statusAt, type Session } from '../../sessions/rules/session.js';
import type { SessionLine, SessionRecord } from '../../shared/inspector.js';
import { readFields } from '../input.js';
import { callApi, payAs, type InspectorParts } from './calls.js';
import { idOf, ID, MAX_LISTED, orMissing } from './lists.js';
import type { Redaction } from './redaction.js';
import { changesOf } from './requests.js';
import { webhookLine } from './webhooks.js';

export function sessionRoutes(app: Hono, parts: InspectorParts): void {
  const { deps, control, journal } = parts;
  const { store, clock, secrets, publicUrl } = deps;
  const { redact } = journal;
  const toLine = (session: Session): SessionLine => sessionLine(session, clock.now(), redact);

  app.get('/sessions', async (c) =>
    c.json((await store.read((tx) => tx.sessions.latest(MAX_LISTED))).map(toLine)),
  );

  const route = (work: (session: Session, c: Context) => Promise<object>) => async (c: Context) => {
    const session = await store.read((tx) => tx.sessions.get(idOf(c)));
    return orMissing(c, session && (await work(session, c)));
  };

  app.get(
    `/sessions/${ID}`,
    route(async (session) => {
      const { id, businessUnit } = session;
      const own = journal.requests().filter(({ sessionId }) => sessionId === id);
      const changes = own.flatMap(changesOf);
      const [attempts, webhooks] = await store.read(async (tx) => [
        await tx.attempts.ofSession(id),
        await tx.outbox.ofSession(businessUnit, id, MAX_LISTED),
      ]);
      return {
        ...toLine(session),
        request: redact.body(session.request),
        accounts: changes.filter(({ what }) => what === 'account'),
        payments: attempts.map((attempt) => payment(attempt, redact)),
        webhooks: webhooks.map(webhookLine),
        events: journal.events().filter(({ sessionId }) => sessionId === id),
      } satisfies SessionRecord;
    }),
  );
  app.post(
    `/sessions/${ID}/cancel`,
    route(({ id, businessUnit }) => {
      const body = { BusinessUnitSlug: businessUnit, PaymentSessionIdentifier: id };
      return callApi(parts, BACK_OFFICE_ENDPOINTS.cancel, body);
    }),
  );
  app.post(
    `/sessions/${ID}/expire`,
    route(async ({ expiresAt }) => {
      await control.advance(Math.max(0, expiresAt - clock.now()));
      return {};
    }),
  );
  // The session URL with its secret. Never log it.
  app.post(
    `/sessions/${ID}/open`,
    route(async ({ id, secretKeyId }) => ({
      url: `${publicUrl}/s/${id}#${secrets.derive(secretKeyId, id)}`,
    })),
  );
  app.post(
    `/sessions/${ID}/pay`,
    route(async ({ id }, c) => {
      const { number, last4 } = await readFields(c);
      return payAs(parts, id, String(number ?? last4));
    }),
  );
  app.post(
    `/sessions/${ID}/refund`,
    route(async ({ businessUnit }, c) => {
      const { paymentId, amount } = await readFields(c);
      const body = { BusinessUnitSlug: businessUnit, PaymentIdentifier: paymentId, Amount: amount };
      return callApi(parts, BACK_OFFICE_ENDPOINTS.refund, body);
    }),
  );
}

function sessionLine(session: Session, now: number, redact: Redaction): SessionLine {
  const { id, flow, businessUnit, createdAt, expiresAt } = session;
  const { Charges, ClientUser, ClientAccount } = Object(session.request) as {
    Charges?: { Amount: number; ClientAccount?: { Name?: string } }[];
    ClientUser?: { EmailAddress?: string };
    ClientAccount?: { Name?: string };
  };
  const account = ClientAccount ?? Charges?.find((charge) => charge.ClientAccount)?.ClientAccount;
  const customer = ClientUser?.EmailAddress ?? account?.Name;
  return defined({
    id,
    flow,
    status: statusAt(session, now),
    businessUnit,
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    amount: Charges?.reduce((sum, each) => sum + each.Amount, 0),
    customer: customer && redact.text(customer),
  });
}

function payment(attempt: Attempt, redact: Redaction): SessionRecord['payments'][number] {
  const { id, amount, refunded, source, status, lookups, reason, reference, createdAt, dueAt } = attempt;
  const { method, last4 } = source;
  return defined({
    id,
    amount,
    refunded,
    method,
    status,
    last4,
    createdAt: iso(createdAt),
    lookups,
    dueAt: dueAt === undefined ? undefined : iso(dueAt),
    reason: reason && redact.text(reason),
    reference,
  });
}
