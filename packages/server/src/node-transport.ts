/** Sends requests through `node:http` and its keep-alive agent, which use a fraction of the CPU of `fetch` on Node. */
import { readText, type Transport } from './exchange.js';

/** The part of Node's `IncomingMessage` that is used here. */
interface NodeResponse extends AsyncIterable<Uint8Array> {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
}

/** The part of Node's `ClientRequest` that is used here. */
interface NodeRequest {
  on(event: 'response', listener: (response: NodeResponse) => void): NodeRequest;
  on(event: 'error', listener: (error: Error) => void): NodeRequest;
  on(event: 'close', listener: () => void): NodeRequest;
  end(body: string): void;
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

/** Returns undefined if this runtime is not Node. */
export function nodeTransport(baseUrl: string): Transport | undefined {
  const http = moduleFor(baseUrl);

  if (!http) return undefined;

  return async ({ url, headers, body, signal }) => {
    const response = await new Promise<NodeResponse>((resolve, reject) => {
      http
        .request(url, { method: 'POST', headers, signal })
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
