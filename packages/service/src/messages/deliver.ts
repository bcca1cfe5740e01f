/** Sends due messages, with one queue per channel and business unit. */
import { defined } from '../core/defined.js';
import type { Deps } from '../deps.js';
import type { StoreTx } from '../core/store.js';
import { describeError } from '../platform/log/log.js';
import { unitOf, type BusinessUnit } from '../platform/config/config.js';
import type { ServiceEnvironment } from '../shared/environment.js';
import { Slots } from '../platform/slots.js';
import { UnitQueues } from '../platform/unit-queues.js';
import type { send } from '../webhooks/send.js';
import { createMailer, MAX_CONNECTIONS, type Mailer } from './mail.js';
import { renderMessage, unsubscribeUrl } from './render.js';
import {
  applyOutcome,
  CHANNELS,
  isEnabled,
  isReminder,
  MESSAGE_LEASE_MS,
  type Channel,
  type MessageFacts,
  type MessageFailure,
  type PayerMessage,
} from './rules.js';
import { recipientOf } from './recipients.js';
import { hash } from 'node:crypto';
import { signedHeaders } from '../platform/http/signed-headers.js';

/** Messages of a business unit that are sent concurrently. A queue starts with one, and doubles up to this. */
const MAX_PER_UNIT = 4;

export interface DeliveryParts extends Pick<
  Deps,
  'config' | 'store' | 'clock' | 'env' | 'log' | 'metrics' | 'publicUrl'
> {
  readonly post: typeof send;
  /** Reads a message's facts again. Null if it is no longer true. */
  readonly currentFacts: (
    tx: StoreTx,
    message: PayerMessage,
    unit: BusinessUnit,
    context: { readonly now: number; readonly env: ServiceEnvironment },
  ) => Promise<MessageFacts | null>;
  readonly signal: AbortSignal;
}

/** @param run runs a job; if it fails, reports the error and resolves to 0 */
export function createMessageQueues(
  parts: DeliveryParts,
  run: (job: () => Promise<number>) => Promise<number>,
): UnitQueues {
  const delivery = new MessageDelivery(parts);
  parts.signal.addEventListener('abort', () => delivery.close());
  return new UnitQueues({
    due: () => delivery.due(),
    work: (queue) => delivery.sendDue(...(queue.split(' ') as [Channel, string])),
    run,
  });
}

class MessageDelivery {
  readonly #parts: DeliveryParts;
  /** Messages wait for a slot before they are leased. */
  readonly #slots = { email: new Slots(MAX_CONNECTIONS), sms: new Slots(MAX_CONNECTIONS) };
  #mailer: { readonly url: string; readonly mailer: Mailer } | undefined;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /**
   * The channels and business units with due messages, such as `sms water`. Skips channels that this config lacks:
   * another process may have a newer one.
   */
  due(): Promise<string[]> {
    const { store, clock, config } = this.#parts;
    const configured = CHANNELS.filter((channel) => config[channel] !== undefined);
    const dueIn = async (tx: StoreTx, channel: Channel): Promise<string[]> => {
      const slugs = await tx.messages.ofChannel(channel).unitsDue(clock.now(), Date.now());
      return slugs.map((slug) => `${channel} ${slug}`);
    };
    return store.read(async (tx) =>
      (await Promise.all(configured.map((channel) => dueIn(tx, channel)))).flat(),
    );
  }

  /** Resolves to the number of messages that were sent or failed. */
  async sendDue(channel: Channel, slug: string): Promise<number> {
    // Leases of the same unit at the same time would conflict.
    const leasing = new Slots(1);
    let total = 0;
    for (let width = 1; ; width = Math.min(2 * width, MAX_PER_UNIT)) {
      const batch = Array.from({ length: width }, () =>
        this.#slots[channel].run(slug, () => this.#sendNext(channel, slug, leasing)),
      );
      const sent = (await Promise.all(batch)).filter(Boolean).length;
      total += sent;
      if (sent < width) return total;
    }
  }

  /** Resolves to whether a message was due. */
  async #sendNext(channel: Channel, slug: string, leasing: Slots): Promise<boolean> {
    const { store, clock, config, signal } = this.#parts;
    const unit = unitOf(config, slug);
    // messages wait until the unit returns to the config.
    if (!unit || signal.aborted) return false;

    const systemNow = Date.now();
    const times = { now: clock.now(), systemNow, until: systemNow + MESSAGE_LEASE_MS };
    const [message] = await leasing.run(slug, () =>
      store.transaction((tx) => tx.messages.ofChannel(channel).lease(slug, times, 1)),
    );
    if (message) await this.#sendOne(unit, message);
    return message !== undefined;
  }

  close(): void {
    this.#mailer?.mailer.close();
    this.#mailer = undefined;
  }

  async #sendOne(unit: BusinessUnit, message: PayerMessage): Promise<void> {
    const { store, clock, log, metrics, signal } = this.#parts;
    const outcome = await this.#send(unit, message).catch((error: unknown): MessageFailure => ({
      error: describeError(error).name,
      isFinal: false,
    }));
    if (signal.aborted && typeof outcome !== 'string') return;

    const isOutdated = outcome === 'outdated';
    const updated = applyOutcome(message, isOutdated ? 'unsent' : outcome, clock.now());
    const { about, kind, leasedUntil } = message;
    const isWritten = await store.transaction(async (tx) => {
      if (!(await tx.messages.updateLeased(updated, leasedUntil))) return false;
      // The announced charge may become due again.
      if (isOutdated && isReminder(kind)) await tx.messages.supersede(about, kind, 'unsent');
      return true;
    });
    if (!isWritten) return;
    metrics?.message(message.channel, updated.status);
    if (updated.lastError === undefined) return;
    log.warn('A message to a payer was not sent', {
      job: 'send',
      messageId: loggedId(message),
      businessUnit: unit.slug,
      ...defined({ sessionId: message.sessionId }),
      count: updated.attempts,
      codes: [updated.status, updated.lastError],
    });
  }

  async #send(
    unit: BusinessUnit,
    stored: PayerMessage,
  ): Promise<'sent' | 'unsent' | 'outdated' | MessageFailure> {
    const { config, publicUrl } = this.#parts;
    const message = await this.#current(unit, stored);
    if (message === null) return 'outdated';

    const endUrl = unsubscribeUrl(publicUrl, message);
    const { subject, text, html, sms } = renderMessage(message, unit, endUrl);
    if (message.channel === 'sms') {
      if (!config.sms) return NOT_CONFIGURED;
      return sendSms(this.#parts, config.sms, message, sms);
    }

    if (!config.email) return NOT_CONFIGURED;
    const { from = config.email.from, replyTo } = unit.email ?? {};
    if (config.email.smtp === undefined) return 'unsent';
    const mail = {
      id: loggedId(message),
      from,
      replyTo,
      to: message.recipient,
      subject,
      text,
      html,
      unsubscribeUrl: endUrl,
    };
    return this.#mailerFor(config.email.smtp).send(defined(mail));
  }

  /** Resolves to null if the message is no longer wanted or no longer true. */
  async #current(unit: BusinessUnit, message: PayerMessage): Promise<PayerMessage | null> {
    const { store, clock, env, currentFacts } = this.#parts;
    const current = await store.read(async (tx) => {
      if (!isEnabled(message.kind, tx.messages.settingsOf(unit.slug))) return null;
      const facts = await currentFacts(tx, message, unit, { now: clock.now(), env });
      const recipient = facts === null ? undefined : await recipientOf(tx, message);
      return facts === null || recipient === undefined ? null : { ...message, facts, recipient };
    });
    const sent = current ?? message;
    const isSame = JSON.stringify(sent.facts) === JSON.stringify(message.facts);
    // The unsubscribe link works only for the stored recipient.
    if (!isSame || sent.recipient !== message.recipient)
      await store.transaction((tx) => tx.messages.setContent(sent));
    return current;
  }

  #mailerFor(url: string): Mailer {
    if (this.#mailer?.url !== url) {
      this.close();
      this.#mailer = { url, mailer: createMailer(url) };
    }
    return this.#mailer.mailer;
  }
}

const NOT_CONFIGURED: MessageFailure = { error: 'not_configured', isFinal: false };

/**
 * The id in logs and in the `Message-ID`, which mail servers log. Hashed for e-mail, because the message's own id is
 * part of its unsubscribe link.
 */
export function loggedId({ id, channel }: Pick<PayerMessage, 'id' | 'channel'>): string {
  return channel === 'email' ? hash('sha256', id, 'base64url') : id;
}

/** POSTs `{ to, text, businessUnit, messageId }` to the operator's gateway, signed according to Standard Webhooks. */
export async function sendSms(
  { post, signal }: { readonly post: typeof send; readonly signal: AbortSignal },
  { url, secrets }: { readonly url: string; readonly secrets: readonly string[] },
  { id, recipient, businessUnit }: PayerMessage,
  text: string,
): Promise<'sent' | MessageFailure> {
  const body = JSON.stringify({ to: recipient, text, businessUnit, messageId: id });
  const delivery = await post({
    url,
    body,
    headers: signedHeaders(id, body, secrets),
    // The operator's own gateway is often on a private network.
    publicOnly: false,
    signal,
  });
  if (delivery.type !== 'answered') return { error: delivery.reason, isFinal: false };
  const { status } = delivery;
  if (status >= 200 && status < 300) return 'sent';
  return { error: `HTTP ${status}`, isFinal: status === 400 || status === 404 || status === 422 };
}
