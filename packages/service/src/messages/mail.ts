/** Sends mail over SMTP. */
import { createTransport } from 'nodemailer';
import { describeError } from '../platform/log/log.js';
import type { MessageFailure } from './rules.js';

export interface Mail {
  /** The same on every attempt, so that mail programs can recognize duplicates. */
  readonly id: string;
  readonly from: string;
  readonly replyTo?: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Link that ends these messages with one click (RFC 8058). */
  readonly unsubscribeUrl?: string;
}

export interface Mailer {
  send(mail: Mail): Promise<'sent' | MessageFailure>;
  close(): void;
}

const CONNECT_MS = 10_000;
const ANSWER_MS = 20_000;
/**
 * For the whole conversation: a server that responds byte by byte never exceeds the limit for one response. Shorter
 * than a lease.
 */
const DIALOG_MS = 120_000;
/** Mails sent at the same time. More would wait in the pool while their leases run out. */
export const MAX_CONNECTIONS = 8;

/**
 * @param url such as `smtps://user:password@smtp.example.com`; may contain a password
 * @param answerMs how long the server may take for a response
 * @param dialogMs how long a mail may take
 */
export function createMailer(
  url: string,
  answerMs: number = ANSWER_MS,
  dialogMs: number = DIALOG_MS,
): Mailer {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: answerMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async ({ id, from, replyTo, to, subject, text, html, unsubscribeUrl }) => {
      try {
        await transport.sendMail({
          messageId: `<${id}@${domainOf(from)}>`,
          from,
          ...(replyTo === undefined ? {} : { replyTo }),
          // An object, because text is parsed as a list of addresses.
          to: { name: '', address: to },
          subject,
          text,
          html,
          signal: AbortSignal.timeout(dialogMs),
          headers: {
            'auto-submitted': 'auto-generated',
            ...(unsubscribeUrl === undefined
              ? {}
              : {
                  'list-unsubscribe': `<${unsubscribeUrl}>`,
                  'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
                }),
          },
        });
        return 'sent';
      } catch (error) {
        return failureOf(error);
      }
    },
    close: () => transport.close(),
  };
}

function domainOf(from: string): string {
  return /@([\w.-]+)/.exec(from)?.[1] ?? 'localhost';
}

/** Steps at which a refusal is about the recipient or the message. */
const ABOUT_THE_MESSAGE: ReadonlySet<string> = new Set(['RCPT TO', 'DATA']);

/** The server's message may name the recipient, so only codes are kept. */
function failureOf(error: unknown): MessageFailure {
  const { responseCode, command = '' } = error as { responseCode?: unknown; command?: string };
  const isAnswer = typeof responseCode === 'number';
  const { name, code = name } = describeError(error);
  return {
    error: isAnswer ? `SMTP ${responseCode}` : code,
    // A refused sender, password or connection is not about this recipient, and may be corrected.
    isFinal: isAnswer && responseCode >= 500 && ABOUT_THE_MESSAGE.has(command),
  };
}
