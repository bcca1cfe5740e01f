/** An SMTP server on a real socket. It keeps what it is sent, refuses addresses, or greets and then hangs. */
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface SmtpServer {
  readonly url: string;
  /** The messages so far, as sent, with the recipient of the envelope. */
  readonly received: { readonly to: string; readonly data: string }[];
  close(): Promise<void>;
}

export interface SmtpBehavior {
  /** Sends its greeting, and never answers. */
  readonly hangs?: boolean;
  /** The answer to RCPT TO; default: 250. */
  readonly recipient?: string;
  /** Keeps the message, and ends the connection instead of confirming it. */
  readonly losesAnswers?: boolean;
}

export async function startSmtp(behavior: SmtpBehavior = {}): Promise<SmtpServer> {
  const received: { to: string; data: string }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    socket.setEncoding('utf8');
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    let to = '';
    let data: string | undefined;
    let rest = '';

    const hear = (line: string): void => {
      if (behavior.hangs) return;
      if (data !== undefined) {
        if (line !== '.') {
          data += `${line}\n`;
          return;
        }
        received.push({ to, data });
        data = undefined;
        if (behavior.losesAnswers) socket.destroy();
        else say('250 kept');
        return;
      }
      const command = line.slice(0, 4).toUpperCase();
      if (command === 'RCPT') to = /<(.*)>/.exec(line)?.[1] ?? '';
      if (command === 'RCPT') say(behavior.recipient ?? '250 known');
      else if (command === 'DATA') {
        data = '';
        say('354 go on');
      } else if (command === 'QUIT') {
        say('221 bye');
        socket.end();
      } else say('250 ok');
    };
    say('220 mail.test ready');
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
