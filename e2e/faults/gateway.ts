/** A card gateway of the test's own, outside the processes that are killed: it remembers every charge it made. */
import { bodyOf, startOrigin, type Origin } from '../harness/index.js';

export interface Gateway {
  readonly url: string;
  readonly key: string;
  /** Every charge that moved money, by attempt. */
  readonly charges: ReadonlyMap<string, { amount: number }>;
  stop(): Promise<void>;
}

/** Speaks what `packages/service/examples/processor.mjs` calls; slow enough that a kill meets a charge on its way. */
export async function startGateway(slowMs: () => number): Promise<Gateway> {
  const charges = new Map<string, { amount: number }>();
  const origin: Origin = await startOrigin({
    fallback: async (request, response) => {
      const answer = (status: number, body: unknown): void => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      };
      const body = await bodyOf(request);
      if (request.url === '/tokens') {
        const { cardNumber } = JSON.parse(body) as { cardNumber: string };
        return answer(201, { token: 'tok', brand: 'Visa', last4: cardNumber.slice(-4) });
      }
      const attemptId = request.url?.split('/').at(-1) ?? '';
      await new Promise((resolve) => setTimeout(resolve, slowMs()));
      if (request.method === 'PUT') {
        if (!charges.has(attemptId)) charges.set(attemptId, JSON.parse(body) as { amount: number });
        // The money has moved; whether the service hears of it is another matter.
        await new Promise((resolve) => setTimeout(resolve, slowMs()));
      }
      return charges.has(attemptId) ? answer(200, { outcome: 'succeeded' }) : answer(404, {});
    },
  });
  return { url: origin.url, key: 'gateway-key', charges, stop: () => origin.stop() };
}
