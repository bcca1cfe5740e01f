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
import { afterSending, isReminder, type MessageFailure, type PayerMessage } from './rules.js';
import { sendSms } from './sms.js';
import { recipientOf } from './wanted.js';

/** Messages of one business unit that are sent at the same time. */
const AT_ONCE = 4;
/** Business units that send at the same time. The others wait their turn before they lease a message. */
const UNITS_AT_ONCE = MAX_CONNECTIONS / AT_ONCE;

export interface SendingParts extends Pick<
  Deps,
  'env' | 'config' | 'store' | 'clock' | 'log' | 'metrics' | 'publicUrl'
> {
  readonly post: typeof send;
  /** False if what a reminder announces was canceled, changed or already happened. */
  readonly isAhead: (
    tx: StoreTx,
    reminder: PayerMessage,
    unit: BusinessUnit,
    now: number,
  ) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** @param run runs a job, reports its error and resolves 0 in that case */
export function createMessageQueues(
  parts: SendingParts,
  run: (job: () => Promise<number>) => Promise<number>,
): UnitQueues {
  const sending = new Sending(parts);
  parts.signal.addEventListener('abort', () => sending.close());
  return new UnitQueues({
    due: () => parts.store.read((tx) => tx.messages.unitsDue(parts.clock.now(), Date.now())),
    work: (slug) => sending.sendDue(slug),
    run,
  });
}

class Sending {
  readonly #parts: SendingParts;
  readonly #slots = new Slots(UNITS_AT_ONCE);
  #mailer: { readonly url: string; readonly mailer: Mailer } | undefined;

  constructor(parts: SendingParts) {
    this.#parts = parts;
  }

  /** Resolves to the number of messages that were sent or failed. */
  async sendDue(slug: string): Promise<number> {
    for (let total = 0; ;) {
      const handled = await this.#slots.run(() => this.#sendSome(slug));
      if (handled === 0) return total;
      total += handled;
    }
  }

  async #sendSome(slug: string): Promise<number> {
    const { store, clock, config, signal } = this.#parts;
    const unit = unitOf(config, slug);
    // its messages wait until the unit returns to the config.
    if (!unit || signal.aborted) return 0;

    const due = { now: clock.now(), systemNow: Date.now(), limit: AT_ONCE };
    const taken = await store.transaction((tx) => tx.messages.take(slug, due));
    await Promise.all(taken.map((message) => this.#sendOne(unit, message)));
    return taken.length;
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

    const after = afterSending(message, outcome, clock.now());
    if (!(await store.transaction((tx) => tx.messages.update(after)))) return;
    metrics?.message(message.channel, after.status);
    if (after.lastError === undefined) return;
    log.warn('A message to a payer was not sent', {
      job: 'send',
      messageId: message.id,
      businessUnit: unit.slug,
      ...(message.sessionId === undefined ? {} : { sessionId: message.sessionId }),
      count: after.attempts,
      codes: [after.status, after.lastError],
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

  /** Undefined if the message is no longer wanted or no longer correct. */
  #recipientOf(unit: BusinessUnit, message: PayerMessage): Promise<string | undefined> {
    const { store, clock, isAhead } = this.#parts;
    return store.read(async (tx) => {
      const isTrue = !isReminder(message.kind) || (await isAhead(tx, message, unit, clock.now()));
      return isTrue ? recipientOf(tx, message) : undefined;
    });
  }

  /** The config may name another server since the last message. */
  #mailerFor(url: string): Mailer {
    if (this.#mailer?.url !== url) {
      this.close();
      this.#mailer = { url, mailer: createMailer(url) };
    }
    return this.#mailer.mailer;
  }
}

const NOT_CONFIGURED: MessageFailure = { error: 'not_configured', isFinal: true };
