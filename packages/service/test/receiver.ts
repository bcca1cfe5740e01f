/** A merchant's webhook endpoint on a real socket. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhookEvent } from '@embedded-sessions/server-types';

export interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly event: WebhookEvent;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Its response: a status, `drop` to close the connection, or `hang` to never respond. */
  response: number | 'drop' | 'hang';
  headers: Record<string, string>;
  /** Body of the response. */
  body: string;
  /** Event types in order of arrival. */
  types(): string[];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received.push({
        headers: request.headers as Record<string, string>,
        body,
        event: JSON.parse(body) as WebhookEvent,
      });
      if (receiver.response === 'drop') request.socket.destroy();
      else if (receiver.response !== 'hang')
        response.writeHead(receiver.response, receiver.headers).end(receiver.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    response: 200,
    headers: {},
    body: 'ok',
    types: () => received.map(({ event }) => event.type),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
