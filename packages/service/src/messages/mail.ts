/** Sends mail over SMTP. */
import { describeError } from '../platform/log/log.js';
import type { MessageFailure } from './rules.js';

export interface Mail {
  /** The same for every attempt, so that mail programs can detect duplicates. Mail servers log it. */
  readonly id: string;
  readonly from: string;
  readonly replyTo?: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Link to unsubscribe with one click (RFC 8058). */
  readonly unsubscribeUrl?: string;
}

export interface Mailer {
  send(mail: Mail): Promise<'sent' | MessageFailure>;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
/**
 * Timeout of a whole mail. A server that takes longer to accept it, for example to scan it, gets it again; RFC 5321,
 * 4.5.3.2.6, recommends ten minutes. Meanwhile, others wait for its connection. Must be shorter than a lease.
 */
const MAIL_TIMEOUT_MS = 60_000;
/** Mails sent concurrently. More would wait in the pool while their leases expire. */
export const MAX_CONNECTIONS = 8;

/** @param url such as `smtps://user:password@smtp.example.com`; may contain a password */
export function createMailer(url: string, timeoutMs: number = MAIL_TIMEOUT_MS): Mailer {
  let transport: ReturnType<typeof openPool> | undefined;
  const open = (): ReturnType<typeof openPool> =>
    (transport ??= openPool(url, timeoutMs).catch((error: unknown) => {
      transport = undefined;
      throw error;
    }));

  return {
    send: async ({ id, from, replyTo, to, subject, text, html, unsubscribeUrl }) => {
      try {
        const pool = await open();
        await pool.sendMail({
          messageId: `<${id}@${domainOf(from)}>`,
          from,
          ...(replyTo === undefined ? {} : { replyTo }),
          // An object, because a string would be parsed as a list of addresses.
          to: { name: '', address: to },
          subject,
          text,
          html,
          signal: AbortSignal.timeout(timeoutMs),
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
    close: () =>
      void transport?.then(
        (pool) => pool.close(),
        () => undefined,
      ),
  };
}

/** Loads the library with the first mail, because many services send none. */
async function openPool(url: string, timeoutMs: number) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function domainOf(from: string): string {
  return /@([\w.-]+)/.exec(from)?.[1] ?? 'localhost';
}

/**
 * If these commands are refused, the recipient or the message is at fault, unless the refusal has one of the codes
 * below.
 */
const MESSAGE_COMMANDS: ReadonlySet<string> = new Set(['RCPT TO', 'DATA']);
/**
 * Refusals of the connection, the password or the sender, which many servers delay until they know the recipient: bad
 * sequence, authentication required or failed (RFC 4954), security or policy, bad sender (RFC 3463). Exim gives these no
 * codes, only texts, such as `550 relay not permitted`.
 */
const OPERATOR_REFUSAL =
  /^(?:503|530|534|535|538)|^5\d\d[ -]5\.(?:7\.\d|1\.[78])|^5[^]*(?:relay|authenticat)/i;

/** Returns only codes, because the server's message may contain the recipient. */
function failureOf(error: unknown): MessageFailure {
  const {
    responseCode,
    response = '',
    command = '',
  } = error as {
    responseCode?: unknown;
    response?: string;
    command?: string;
  };
  const isResponse = typeof responseCode === 'number';
  const { name, code = name } = describeError(error);
  // Only a mail's timeout aborts it.
  const reason = code === 'EABORT' ? 'ETIMEDOUT' : code;
  return {
    error: isResponse ? `SMTP ${responseCode}` : reason,
    // Other refusals, of the sender, password or connection, may be fixed later.
    isFinal: MESSAGE_COMMANDS.has(command) && response.startsWith('5') && !OPERATOR_REFUSAL.test(response),
  };
}
