/** An SMTP server on a real socket. Stores messages and responds as configured. */
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface SmtpServer {
  readonly url: string;
  /** Received messages, with the recipient of the envelope. */
  readonly received: { readonly to: string; readonly data: string }[];
  close(): Promise<void>;
}

export interface SmtpBehavior {
  /**
   * Responses by command, read when it arrives; `.` ends a message, and `hello` is the greeting. Default: accepts all.
   * An empty response lets the client wait.
   */
  readonly responses?: Partial<Record<'hello' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | '.', string>>;
  /** Recipients for whom it never responds. */
  readonly hangs?: (to: string) => boolean;
  /** Sends an endless response to EHLO. */
  readonly drips?: true;
  /** Stores the message but closes the connection instead of confirming it. */
  readonly losesAnswers?: boolean;
}

export async function startSmtp(behavior: SmtpBehavior = {}): Promise<SmtpServer> {
  const received: { to: string; data: string }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    socket.setEncoding('utf8');
    const say = (line: string): void => void (line !== '' && socket.write(`${line}\r\n`));
    const { responses = {} } = behavior;
    let to = '';
    let data: string | undefined;
    let rest = '';

    const hear = (line: string): void => {
      if (data !== undefined) {
        if (line !== '.') {
          data += `${line}\n`;
          return;
        }
        const response = responses['.'] ?? '250 kept';
        if (!/^[45]/.test(response)) received.push({ to, data });
        data = undefined;
        if (behavior.losesAnswers) socket.destroy();
        else say(response);
        return;
      }
      const command = line.slice(0, 4).toUpperCase();
      if (command === 'RCPT') to = /<(.*)>/.exec(line)?.[1] ?? '';
      if (command === 'RCPT' && behavior.hangs?.(to)) return;
      if (command === 'QUIT') {
        say('221 bye');
        socket.end();
        return;
      }
      if (behavior.drips && command === 'EHLO') {
        const dripping = setInterval(say, 20, '250-and more');
        socket.on('close', () => clearInterval(dripping));
        return;
      }
      const answer =
        (responses as Record<string, string>)[command] ?? (command === 'DATA' ? '354 go on' : '250 ok');
      if (answer.startsWith('354')) data = '';
      say(answer);
    };
    say(responses.hello ?? '220 mail.test ready');
    socket.on('data', (text: string) => {
      const lines = (rest + text).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) hear(line);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
