import type { Deps } from '../../deps.js';
import type { Attempt } from '../../payments/rules/attempt.js';
import { iso } from '../../core/day.js';
import type { Queued } from '../../core/queue-rows.js';
import { languageOf, renderMessage, unsubscribeUrl, type Rendered } from '../../messages/render.js';
import { unsentReason, type MessageFacts, type PayerMessage } from '../../messages/rules.js';
import { unitOf, type BusinessUnit } from '../../platform/config/config.js';
import type { OutboxHead } from '../../webhooks/rules.js';
import { signedHeaders } from '../../platform/http/signed-headers.js';
import { statusAt, type Session } from '../../sessions/rules/session.js';
import { defined } from '../../core/defined.js';
import type {
  ClockView,
  MailLine,
  MailRecord,
  QueuedLine,
  SessionLine,
  SessionRecord,
  SentWebhook,
  WebhookLine,
  WebhookRecord,
} from '../../shared/inspector.js';
import type { Journal } from './journal.js';
import type { Redaction } from './redaction.js';

const MAX_LISTED = 200;

interface Mail {
  readonly line: MailLine;
  readonly language: string;
  readonly unsentReason: MailRecord['unsentReason'];
  readonly rendered: Rendered;
}

export class Views {
  readonly #deps: Deps;
  readonly #journal: Journal;

  constructor(deps: Deps, journal: Journal) {
    this.#deps = deps;
    this.#journal = journal;
  }

  async sessions(): Promise<SessionLine[]> {
    const { store } = this.#deps;
    const found = await store.read((tx) => tx.sessions.latest(MAX_LISTED));
    return found.map((session) => this.#sessionLine(session));
  }

  session(id: string): Promise<SessionRecord | null> {
    const { redact } = this.#journal;
    return this.#deps.store.read(async (tx) => {
      const session = await tx.sessions.get(id);
      if (!session) return null;

      const attempts = await tx.attempts.ofSession(id);
      const messages = await tx.outbox.ofSession(session.businessUnit, id, MAX_LISTED);
      return {
        ...this.#sessionLine(session),
        request: redact.body(session.request),
        accounts: this.#journal
          .requests()
          .filter(({ sessionId }) => sessionId === id)
          .flatMap(({ changes }) => changes.filter(({ what }) => what === 'account')),
        payments: attempts.map((attempt) => payment(attempt, redact)),
        webhooks: messages.map(webhookLine),
        events: this.#journal.events().filter(({ sessionId }) => sessionId === id),
      };
    });
  }

  async webhooks(): Promise<WebhookLine[]> {
    const { store } = this.#deps;
    return (await store.read((tx) => tx.outbox.latest(MAX_LISTED))).map(webhookLine);
  }

  webhook(id: string): Promise<WebhookRecord | null> {
    const { redact } = this.#journal;
    return this.#deps.store.read(async (tx) => {
      const message = await tx.outbox.get(id);
      if (!message) return null;

      const webhook = this.#webhookOf(message);
      return defined({
        ...webhookLine(message),
        body: redact.body(JSON.parse(message.body)),
        tries: this.#journal.deliveriesOf(id),
        silenced: webhook !== undefined && (await tx.outbox.disabled(message.businessUnit, webhook.url)),
        url: webhook && redact.url(webhook.url),
      });
    });
  }

  /** The message with a fresh signature; null if it or its address doesn't exist. */
  async sent(id: string): Promise<SentWebhook | null> {
    const message = await this.#deps.store.read((tx) => tx.outbox.get(id));
    const webhook = message && this.#webhookOf(message);
    if (!message || !webhook) return null;
    return { headers: signedHeaders(id, message.body, webhook.secrets), body: message.body };
  }

  async mail(): Promise<MailLine[]> {
    const { store } = this.#deps;
    const found = await store.read((tx) => tx.messages.latest(MAX_LISTED));
    return found.flatMap((message) => this.#mail(message)?.line ?? []);
  }

  /** Null if the message doesn't exist or its business unit is no longer in the config. */
  async mailOf(id: string): Promise<Mail | null> {
    const message = await this.#deps.store.read((tx) => tx.messages.get(id));
    return message && this.#mail(message);
  }

  clock(): ClockView {
    const { clock } = this.#deps;
    return { now: iso(clock.now()), offsetMs: clock.offset };
  }

  #webhookOf({ businessUnit }: OutboxHead): BusinessUnit['webhook'] {
    return unitOf(this.#deps.config, businessUnit)?.webhook;
  }

  #sessionLine(session: Session): SessionLine {
    return {
      id: session.id,
      flow: session.flow,
      status: statusAt(session, this.#deps.clock.now()),
      businessUnit: session.businessUnit,
      createdAt: iso(session.createdAt),
      expiresAt: iso(session.expiresAt),
      ...amountAndCustomer(session.request, this.#journal.redact),
    };
  }

  #mail(message: PayerMessage): Mail | null {
    const { config, publicUrl } = this.#deps;
    const { redact } = this.#journal;
    const unit = unitOf(config, message.businessUnit);
    if (!unit) return null;

    const { kind, channel, recipient } = message;
    const shown = { ...message, facts: redact.body(message.facts) as unknown as MessageFacts };
    const rendered = renderMessage(shown, unit, unsubscribeUrl(publicUrl, message));
    const line = {
      ...queuedLine(message),
      kind,
      channel,
      to: redact.text(recipient),
      subject: rendered.subject,
    };
    return {
      line,
      language: languageOf(message, unit),
      unsentReason: unsentReason(message, config.email?.smtp !== undefined),
      rendered,
    };
  }
}

function amountAndCustomer(request: unknown, redact: Redaction): Pick<SessionLine, 'amount' | 'customer'> {
  const { Charges, ClientUser, ClientAccount } = Object(request) as {
    Charges?: { Amount: number; ClientAccount?: { Name?: string } }[];
    ClientUser?: { EmailAddress?: string };
    ClientAccount?: { Name?: string };
  };
  const account = ClientAccount ?? Charges?.find((charge) => charge.ClientAccount)?.ClientAccount;
  const amount = Charges?.reduce((sum, each) => sum + each.Amount, 0);
  const customer = ClientUser?.EmailAddress ?? account?.Name;
  return defined({ amount, customer: customer && redact.text(customer) });
}

function payment(attempt: Attempt, redact: Redaction): SessionRecord['payments'][number] {
  const { id, amount, refunded, source, status, lookups, reason, reference } = attempt;
  const { method, last4 } = source;
  const createdAt = iso(attempt.createdAt);
  const dueAt = attempt.dueAt === undefined ? undefined : iso(attempt.dueAt);
  return defined({
    id,
    amount,
    refunded,
    method,
    status,
    last4,
    createdAt,
    lookups,
    dueAt,
    reason: reason && redact.text(reason),
    reference,
  });
}

function webhookLine(message: OutboxHead): WebhookLine {
  return { ...queuedLine(message), type: message.type };
}

function queuedLine(message: Queued): QueuedLine {
  const { id, businessUnit, status, attempts, createdAt, dueAt, lastError, sessionId } = message;
  return defined({
    id,
    businessUnit,
    status,
    attempts,
    createdAt: iso(createdAt),
    nextAt: status === 'pending' ? iso(dueAt) : undefined,
    sessionId,
    lastError,
  });
}
