/** How requests reach the service: `node:http` on Node, `fetch` everywhere else. */
import type { Fetch } from './surface.js';

interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

export interface IncomingResponse {
  status: number;
  /** Undefined if the body is longer than {@link MAX_BYTES} and was not read completely. */
  text: string | undefined;
  /** @param name in any case */
  header: (name: string) => string | null;
}

/** Sends one request. Never follows redirects. Rejects if the response is cut short. */
export type Transport = (request: OutgoingRequest) => Promise<IncomingResponse>;

/** Longer than any response of the contract, and short enough to parse without blocking the backend. */
const MAX_BYTES = 2_000_000;

/** Informational responses (`1xx`) to a request. */
const MAX_INFORMATIONAL = 100;

/** Reads a body. Undefined if it is too long. */
async function readText(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string | undefined> {
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
}

// The parts of Node's types that are used here.
interface NodeResponse extends AsyncIterable<Uint8Array> {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
}

interface NodeRequest {
  on(event: 'information', listener: () => void): NodeRequest;
  on(event: 'response', listener: (response: NodeResponse) => void): NodeRequest;
  on(event: 'error', listener: (error: Error) => void): NodeRequest;
  on(event: 'close', listener: () => void): NodeRequest;
  end(body: string): void;
  destroy(error: Error): void;
}

interface NodeHttp {
  request(url: string, options: object): NodeRequest;
}

interface NodeGlobals {
  process?: { getBuiltinModule?: (name: string) => NodeHttp };
  navigator?: { userAgent?: string };
}

/**
 * Node's module for a URL. Detects workers, Bun and Deno, which may imitate Node, by their `navigator`; Node 20 has none.
 * Uses `getBuiltinModule`, because bundlers can't resolve an import.
 */
const moduleFor = (url: string): NodeHttp | undefined => {
  const { process, navigator } = globalThis as NodeGlobals;
  if (!(navigator?.userAgent ?? 'Node.js').startsWith('Node.js')) return undefined;

  return process?.getBuiltinModule?.(`node:${new URL(url).protocol.slice(0, -1)}`);
};

/** `node:http` and its keep-alive agent use a fraction of the CPU of `fetch`. Undefined if this runtime is not Node. */
function nodeTransport(baseUrl: string): Transport | undefined {
  const http = moduleFor(baseUrl);
  if (!http) return undefined;

  return async ({ url, headers, body, signal }) => {
    const response = await new Promise<NodeResponse>((resolve, reject) => {
      let informational = 0;
      const request = http.request(url, { method: 'POST', headers, signal });
      request
        // Node doesn't limit how many precede the status.
        .on('information', () => {
          if (++informational > MAX_INFORMATIONAL) request.destroy(new Error('Too many 1xx responses'));
        })
        .on('error', reject)
        // Without an error, if the server switches to another protocol.
        .on('close', reject)
        .on('response', resolve)
        .end(body);
    });

    return {
      status: response.statusCode,
      text: await readText(response, signal),
      header: (name) => response.headers[name.toLowerCase()]?.toString() ?? null,
    };
  };
}

const fetchTransport =
  (custom: Fetch | undefined): Transport =>
  async ({ url, headers, body, signal }) => {
    const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const;
    const response = await (custom ? custom(new Request(url, init)) : fetch(url, init));

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
