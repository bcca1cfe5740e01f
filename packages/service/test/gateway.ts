/** A card gateway on a real socket, which the example processor module talks to, and which can be made to misbehave. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const PROCESSOR: string = new URL('../examples/processor.mjs', import.meta.url).pathname;

export interface Gateway {
  /** Attempt id → cents, once per charge that moved money. */
  readonly charges: { attemptId: string; amount: number }[];
  /** How often it was asked to charge, and to look up. */
  readonly asked: { charge: number; lookup: number };
  /** `lost`: charges, and drops the answer. `down`: drops everything unread. `odd`: answers no outcome. `slow`: answers after 300 ms. */
  mode: 'up' | 'slow' | 'lost' | 'down' | 'odd' | 'hang';
  outcome: string;
  close(): Promise<void>;
}

/** Starts it, and points the example's environment to it. */
export async function startGateway(): Promise<Gateway> {
  const taken = new Map<string, { amount: number }>();
  const gateway: Gateway = {
    charges: [],
    asked: { charge: 0, lookup: 0 },
    mode: 'up',
    outcome: 'succeeded',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    if (request.headers.authorization !== 'Bearer gateway-key') {
      answer(response, 401, {});
      return;
    }
    void read(request).then((body) => serve(request, response, body));
  });
  const serve = (request: IncomingMessage, response: ServerResponse, body: Record<string, unknown>): void => {
    const id = request.url?.split('/')[2] ?? '';
    if (request.url === '/tokens') {
      if (body['name'] === 'Refuse Me') {
        return answer(response, 422, { message: 'This card cannot be used here.', field: 'cardNumber' });
      }
      if (body['name'] === 'Break Me') return answer(response, 500, {});
      if (body['name'] === 'Leak Me') {
        return answer(response, 201, { token: `tok_${String(body['cardNumber'])}`, last4: '4242' });
      }
      return answer(response, 201, { token: 'tok_gateway', last4: '4242', brand: 'Visa' });
    }
    if (request.method === 'PUT') gateway.asked.charge++;
    else gateway.asked.lookup++;
    if (gateway.mode === 'down') return void request.socket.destroy();
    if (request.method === 'PUT' && !taken.has(id)) {
      taken.set(id, { amount: Number(body['amount']) });
      gateway.charges.push({ attemptId: id, amount: Number(body['amount']) });
    }
    if (gateway.mode === 'lost') return void request.socket.destroy();
    if (gateway.mode === 'hang') return;
    if (!taken.has(id)) return answer(response, 404, {});
    if (gateway.mode === 'slow') {
      setTimeout(() => answer(response, 200, { outcome: gateway.outcome }), 300);
      return;
    }
    answer(response, 200, { outcome: gateway.mode === 'odd' ? 'perhaps' : gateway.outcome });
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env['GATEWAY_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env['GATEWAY_KEY'] = 'gateway-key';
  return gateway;
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
