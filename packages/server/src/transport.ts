/** Chooses how requests reach the service: `node:http` on Node, `fetch` everywhere else. */
import { refuse } from './environment.js';
import { MAX_BYTES, type Transport } from './exchange.js';
import { nodeTransport } from './node-transport.js';

/** Like the platform's `fetch`, called with a single `Request`. */
export type Fetch = (request: Request) => Response | Promise<Response>;

const textOf = async (response: Response, signal: AbortSignal): Promise<string | undefined> => {
  // A custom `fetch` may return another kind of stream.
  const body = response.body as AsyncIterable<Uint8Array> | null | undefined;
  if (!body?.[Symbol.asyncIterator]) return response.text();

  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;

  for await (const chunk of body) {
    // A custom `fetch` may ignore the signal of its request.
    signal.throwIfAborted();
    bytes += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (bytes > MAX_BYTES) return undefined;

    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};

const fetchTransport =
  (baseUrl: string, custom: Fetch | undefined): Transport =>
  async ({ path, headers, body, signal }) => {
    const url = baseUrl + path;
    const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const;
    const response = await (custom ? custom(new Request(url, init)) : fetch(url, init));
    if (typeof response?.headers?.get !== 'function') refuse('fetch returned no Response.');

    return {
      status: response.status,
      text: await textOf(response, signal),
      header: (name) => response.headers.get(name),
    };
  };

/** The caller's `fetch` if set, otherwise the fastest transport of this runtime. */
export const transportTo = (baseUrl: string, custom: Fetch | undefined): Transport =>
  (custom ? undefined : nodeTransport(baseUrl)) ?? fetchTransport(baseUrl, custom);
