/** Chooses how requests reach the service: `node:http` on Node, `fetch` everywhere else. */
import { refuse } from './environment.js';
import { readText, type Transport } from './exchange.js';
import { nodeTransport } from './node-transport.js';

/** Like the platform's `fetch`, called with a single `Request`. */
export type Fetch = (request: Request) => Response | Promise<Response>;

const fetchTransport =
  (custom: Fetch | undefined): Transport =>
  async ({ url, headers, body, signal }) => {
    const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const;
    const response = await (custom ? custom(new Request(url, init)) : fetch(url, init));
    if (typeof response?.headers?.get !== 'function') refuse('fetch returned no Response.');

    // A custom `fetch` may return another kind of stream.
    const stream = response.body as AsyncIterable<Uint8Array> | null | undefined;
    return {
      status: response.status,
      text: await (stream?.[Symbol.asyncIterator] ? readText(stream, signal) : response.text()),
      header: (name) => response.headers.get(name.toLowerCase()) ?? null,
    };
  };

/** The caller's `fetch` if set, otherwise the fastest transport of this runtime. */
export const transportTo = (baseUrl: string, custom: Fetch | undefined): Transport =>
  (custom ? undefined : nodeTransport(baseUrl)) ?? fetchTransport(custom);
