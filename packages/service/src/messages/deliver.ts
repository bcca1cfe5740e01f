/** Sends due messages, with one queue per business unit. */
import type { Deps } from '../deps.js';
import type { StoreTx } from '../core/store.js';
import { describeError } from '../platform/log/log.js';
import { unitOf, type BusinessUnit } from '../platform/config/config.js';
import { Slots } from '../platform/slots.js';
import { UnitQueues } from '../platform/unit-queues.js';
import type { send } from '../webhooks/send.js';
import { createMailer, MAX_CONNECTIONS, type Mailer } from './mail.js';
import { renderMessage, unsubscribeUrl } from './render.js';
import { applyOutcome, isReminder, type MessageFailure, type PayerMessage } from './rules.js';
import { sendSms } from './sms.js';
import { recipientOf } from './recipients.js';

/** Messages of a business unit that are sent concurrently. */
const MAX_PER_UNIT = 4;
/** Business units that send concurrently. Others wait before they lease messages. */
const MAX_UNITS = MAX_CONNECTIONS / MAX_PER_UNIT;

export interface DeliveryParts extends Pick<
  Deps,
  'env' | 'config' | 'store' | 'clock' | 'log' | 'metrics' | 'publicUrl'
> {
  readonly post: typeof send;
  /** False if a reminder's payment was canceled, changed or already made. */
  readonly isStillDue: (
    tx: StoreTx,
    reminder: PayerMessage,
    unit: BusinessUnit,
    now: number,
  ) => Promise<boolean>;
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
    due: () => parts.store.read((tx) => tx.messages.unitsDue(parts.clock.now(), Date.now())),
    work: (slug) => delivery.sendDue(slug),
    run,
  });
}

class MessageDelivery {
  readonly #parts: DeliveryParts;
  readonly #slots = new Slots(MAX_UNITS);
  #mailer: { readonly url: string; readonly mailer: Mailer } | undefined;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Resolves to the number of messages that were sent or failed. */
  async sendDue(slug: string): Promise<number> {
    for (let total = 0; ;) {
      const handled = await this.#slots.run(slug, () => this.#sendBatch(slug));
      if (handled === 0) return total;
      total += handled;
    }
  }

  async #sendBatch(slug: string): Promise<number> {
    const { store, clock, config, signal } = this.#parts;
    const unit = unitOf(config, slug);
    // messages wait until the unit returns to the config.
    if (!unit || signal.aborted) return 0;

    const due = { now: clock.now(), systemNow: Date.now(), limit: MAX_PER_UNIT };
    const leased = await store.transaction((tx) => tx.messages.lease(slug, due));
    await Promise.all(leased.map((message) => this.#sendOne(unit, message)));
    return leased.length;
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

    const updated = applyOutcome(message, outcome, clock.now());
    if (!(await store.transaction((tx) => tx.messages.update(updated)))) return;
    metrics?.message(message.channel, updated.status);
    if (updated.lastError === undefined) return;
    log.warn('A message to a payer was not sent', {
      job: 'send',
      messageId: message.id,
      businessUnit: unit.slug,
      ...(message.sessionId === undefined ? {} : { sessionId: message.sessionId }),
      count: updated.attempts,
      codes: [updated.status, updated.lastError],
    });
  }

  async #send(unit: BusinessUnit, message: PayerMessage): Promise<'sent' | 'unsent' | MessageFailure> {
    const { config, publicUrl } = this.#parts;
    const recipient = await this.#recipientOf(unit, message);
    if (recipient === undefined) return 'unsent';

    const endUrl = unsubscribeUrl(publicUrl, message);
    const { subject, text, html, sms } = renderMessage(message, unit, endUrl);
    if (message.channel === 'sms') {
      if (!config.sms) return NOT_CONFIGURED;
      return sendSms(this.#parts, config.sms, { ...message, recipient }, sms);
    }

    if (!config.email) return NOT_CONFIGURED;
    const { from = config.email.from, replyTo } = unit.email ?? {};
    if (config.email.smtp === undefined) return 'unsent';
    return this.#mailerFor(config.email.smtp).send({
      id: message.id,
      from,
      ...(replyTo === undefined ? {} : { replyTo }),
      to: recipient,
      subject,
      text,
      html,
      ...(endUrl === undefined ? {} : { unsubscribeUrl: endUrl }),
    });
  }

  /** Resolves to undefined if the message is no longer wanted or no longer true. */
  #recipientOf(unit: BusinessUnit, message: PayerMessage): Promise<string | undefined> {
    const { store, clock, isStillDue } = this.#parts;
    return store.read(async (tx) => {
      const isCurrent = !isReminder(message.kind) || (await isStillDue(tx, message, unit, clock.now()));
      return isCurrent ? recipientOf(tx, message) : undefined;
    });
  }

  /** Creates a new mailer if the config's server has changed. */
  #mailerFor(url: string): Mailer {
    if (this.#mailer?.url !== url) {
      this.close();
      this.#mailer = { url, mailer: createMailer(url) };
    }
    return this.#mailer.mailer;
  }
}

const NOT_CONFIGURED: MessageFailure = { error: 'not_configured', isFinal: true };
