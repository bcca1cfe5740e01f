/** A card gateway on a real socket, for the example processor module. It can misbehave. */
import { setTimeout as delay } from 'node:timers/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const PROCESSOR: string = new URL('../examples/processor.mjs', import.meta.url).pathname;

export interface Gateway {
  /** Environment variables of the example. */
  readonly variables: { readonly GATEWAY_URL: string; readonly GATEWAY_KEY: string };
  /** One entry per charge that moved money, cents. */
  readonly charges: { attemptId: string; amount: number }[];
  /** One entry per refund that moved money, cents. */
  readonly refunds: { refundId: string; attemptId: string; amount: number; reason?: unknown }[];
  /** Calls of charge and lookup. */
  readonly calls: { charge: number; lookup: number };
  /** `lost` charges and drops the response, `down` drops everything unread, `odd` returns an invalid outcome, `flood` 2 MB. */
  mode: 'up' | 'lost' | 'down' | 'odd' | 'hang' | 'flood';
  /** Delay before charging and before responding, ms. */
  slowness: () => number;
  outcome: string;
  close(): Promise<void>;
}

export async function startGateway(): Promise<Gateway> {
  const taken = new Map<string, { amount: number }>();
  const key = 'gateway-key';
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${key}`) {
      answer(response, 401, {});
      return;
    }
    void read(request).then((body) => serve(request, response, body));
  });
  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    body: Record<string, unknown>,
  ): Promise<void> => {
    if (request.url === '/tokens') return tokenize(response, body);
    const id = request.url?.split('/')[2] ?? '';
    if (request.url?.startsWith('/refunds/')) return giveBack(request, response, id, body);
    if (request.method === 'PUT') gateway.calls.charge++;
    else gateway.calls.lookup++;
    if (gateway.mode === 'down') return void request.socket.destroy();
    await delay(gateway.slowness());
    if (request.method === 'PUT' && !taken.has(id)) {
      taken.set(id, { amount: Number(body['amount']) });
      gateway.charges.push({ attemptId: id, amount: Number(body['amount']) });
      // The money has moved, whether or not the response arrives.
      await delay(gateway.slowness());
    }
    if (gateway.mode === 'lost') return void request.socket.destroy();
    if (gateway.mode === 'hang') return;
    if (gateway.mode === 'flood')
      return answer(response, 200, { outcome: gateway.outcome, more: 'x'.repeat(2_000_000) });
    if (!taken.has(id)) return answer(response, 404, {});
    answer(response, 200, { outcome: gateway.mode === 'odd' ? 'perhaps' : gateway.outcome });
  };
  const giveBack = (
    request: IncomingMessage,
    response: ServerResponse,
    refundId: string,
    { charge, amount, reason }: Record<string, unknown>,
  ): void => {
    if (gateway.mode === 'down') return void request.socket.destroy();
    if (!gateway.refunds.some((refund) => refund.refundId === refundId))
      gateway.refunds.push({ refundId, attemptId: String(charge), amount: Number(amount), reason });
    if (gateway.mode === 'lost') return void request.socket.destroy();
    answer(response, 200, { outcome: 'succeeded' });
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gateway: Gateway = {
    variables: {
      GATEWAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      GATEWAY_KEY: key,
    },
    charges: [],
    refunds: [],
    calls: { charge: 0, lookup: 0 },
    mode: 'up',
    slowness: () => 0,
    outcome: 'succeeded',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return gateway;
}

function tokenize(response: ServerResponse, body: Record<string, unknown>): void {
  const number = String(body['cardNumber'] ?? body['accountNumber']);
  switch (body['name'] ?? body['holder']) {
    case 'Refuse Me':
      return answer(response, 422, { message: 'This card cannot be used here.', field: 'cardNumber' });
    case 'Break Me':
      return answer(response, 500, {});
    case 'Leak Me':
      return answer(response, 201, { token: `tok_${number}`, last4: number.slice(-4) });
    default:
      return answer(response, 201, { token: 'tok_gateway', last4: number.slice(-4), brand: 'Visa' });
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
