/** Read-only views of a running service. */
import { Webhook } from 'standardwebhooks';
import type { Deps } from '../../deps.js';
import type { Attempt } from '../../payments/rules/attempt.js';
import { iso } from '../../core/day.js';
import { languageOf, renderMessage, unsubscribeUrl, type Rendered } from '../../messages/render.js';
import type { PayerMessage } from '../../messages/rules.js';
import { unitOf } from '../../platform/config/config.js';
import type { OutboxMessage } from '../../webhooks/rules.js';
import { statusAt, type Session } from '../../sessions/rules/session.js';
import { defined } from '../../core/defined.js';
import type {
  ClockView,
  Json,
  MailLine,
  SessionLine,
  SessionRecord,
  SentWebhook,
  WebhookLine,
  WebhookRecord,
} from '../../shared/inspector.js';
import type { Journal } from './journal.js';

const MAX_LISTED = 200;

interface Webhooked {
  url: string;
  secrets: readonly string[];
}

interface Mail {
  readonly line: MailLine;
  readonly language: string;
  readonly rendered: Rendered;
}

export interface Views {
  sessions(): Promise<SessionLine[]>;
  session(id: string): Promise<SessionRecord | null>;
  webhooks(): Promise<WebhookLine[]>;
  webhook(id: string): Promise<WebhookRecord | null>;
  /** The message, freshly signed. Null if it or its address does not exist. */
  sent(id: string): Promise<SentWebhook | null>;
  mail(): Promise<MailLine[]>;
  /** Null if it does not exist, or its business unit is no longer in the config. */
  mailOf(id: string): Promise<Mail | null>;
  clock(): ClockView;
}

export function createViews(deps: Deps, journal: Journal): Views {
  const { store, clock, config } = deps;
  const { redact } = journal;
  const webhookOf = ({ businessUnit }: OutboxMessage): Webhooked | undefined =>
    config.businessUnits.find(({ slug }) => slug === businessUnit)?.webhook;
  const sessionLine = (session: Session): SessionLine => ({
    id: session.id,
    flow: session.flow,
    status: statusAt(session, clock.now()),
    businessUnit: session.businessUnit,
    createdAt: iso(session.createdAt),
    expiresAt: iso(session.expiresAt),
    ...amountAndCustomer(redact.body(session.request, 'api')),
  });
  const mailLine = (message: PayerMessage): Mail | null => {
    const unit = unitOf(config, message.businessUnit);
    if (!unit) return null;

    const { id, kind, channel, recipient, facts, status, attempts, createdAt, dueAt, lastError } = message;
    const { accountNumber } = facts;
    const shown = {
      ...facts,
      ...(accountNumber === undefined ? {} : { accountNumber: redact.text(accountNumber) }),
    };
    const rendered = renderMessage(
      { ...message, facts: shown },
      unit,
      unsubscribeUrl(deps.publicUrl, message),
    );
    const line = {
      id,
      businessUnit: unit.slug,
      kind,
      channel,
      to: redact.word(recipient),
      subject: rendered.subject,
      status,
      attempts,
      createdAt: iso(createdAt),
      ...defined({ sessionId: message.sessionId, lastError }),
      ...(status === 'pending' ? { nextAt: iso(dueAt) } : {}),
    };
    return { line, language: languageOf(message, unit), rendered };
  };
  const slugs = (): string[] => config.businessUnits.map(({ slug }) => slug);
  return {
    sessions: async () =>
      (await store.read((tx) => tx.sessions.latest(slugs(), MAX_LISTED))).map(sessionLine),
    session: (id) =>
      store.read(async (tx) => {
        const session = await tx.sessions.get(id);
        if (!session) return null;

        const attempts = await tx.attempts.ofSession(id);
        const messages = await tx.outbox.ofSession(session.businessUnit, id);
        return {
          ...sessionLine(session),
          request: redact.body(session.request, 'api'),
          accounts: journal
            .requests()
            .filter(({ sessionId }) => sessionId === id)
            .flatMap(({ changes }) => changes.filter(({ what }) => what === 'account')),
          payments: attempts.map(payment),
          webhooks: messages.map(webhookLine),
          events: journal.events().filter(({ sessionId }) => sessionId === id),
        };
      }),
    webhooks: async () => (await store.read((tx) => tx.outbox.latest(slugs(), MAX_LISTED))).map(webhookLine),
    webhook: (id) =>
      store.read(async (tx) => {
        const message = await tx.outbox.get(id);
        if (!message) return null;

        const webhook = webhookOf(message);
        return {
          ...webhookLine(message),
          body: redact.body(JSON.parse(message.body), 'api'),
          tries: journal.tries(id),
          silenced: webhook !== undefined && (await tx.outbox.disabled(message.businessUnit, webhook.url)),
          ...(webhook === undefined ? {} : { url: redact.address(webhook.url) }),
        };
      }),
    sent: async (id) => {
      const message = await store.read((tx) => tx.outbox.get(id));
      const webhook = message && webhookOf(message);
      return message && webhook ? { headers: signed(message, webhook.secrets), body: message.body } : null;
    },
    mail: async () =>
      (await store.read((tx) => tx.messages.latest(slugs(), MAX_LISTED))).flatMap(
        (message) => mailLine(message)?.line ?? [],
      ),
    mailOf: async (id) => {
      const message = await store.read((tx) => tx.messages.get(id));
      return message && mailLine(message);
    },
    clock: () => ({ now: iso(clock.now()), offsetMs: clock.offset }),
  };
}

function amountAndCustomer(request: Json | undefined): Pick<SessionLine, 'amount' | 'customer'> {
  const { Charges, ClientUser, ClientAccount } = Object(request) as {
    Charges?: { Amount: number; ClientAccount?: { Name?: string } }[];
    ClientUser?: { EmailAddress?: string };
    ClientAccount?: { Name?: string };
  };
  const account = ClientAccount ?? Charges?.find((charge) => charge.ClientAccount)?.ClientAccount;
  return defined({
    amount: Charges?.reduce((sum, { Amount }) => sum + Amount, 0),
    customer: ClientUser?.EmailAddress ?? account?.Name,
  });
}

function payment(attempt: Attempt): SessionRecord['payments'][number] {
  const { id, amount, refunded, source, status, lookups, dueAt, reason, reference } = attempt;
  return {
    id,
    amount,
    refunded,
    method: source.method,
    status,
    last4: source.last4,
    lookups,
    ...(dueAt === undefined ? {} : { dueAt: iso(dueAt) }),
    ...defined({ reason, reference }),
  };
}

function webhookLine(message: OutboxMessage): WebhookLine {
  const { id, businessUnit, type, status, attempts, createdAt, dueAt, lastError, sessionId } = message;
  return {
    id,
    businessUnit,
    type,
    status,
    attempts,
    createdAt: iso(createdAt),
    ...(status === 'pending' ? { nextAt: iso(dueAt) } : {}),
    ...defined({ sessionId, lastError }),
  };
}

/** Headers with a fresh signature. No header contains the secret itself. */
function signed({ id, body }: OutboxMessage, secrets: readonly string[]): Record<string, string> {
  const sentAt = new Date();
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(' '),
  };
}
