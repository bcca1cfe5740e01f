/** Sends requests through `node:http` and its keep-alive agent, which use a fraction of the CPU of `fetch` on Node. */
import { MAX_BYTES, type Transport } from './exchange.js';

/** The part of Node's `IncomingMessage` that is used here. */
interface NodeResponse {
  statusCode?: number;
  headers: Record<string, string | string[] | undefined>;
  on(event: 'data', listener: (chunk: Uint8Array) => void): void;
  on(event: 'end', listener: () => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  destroy(): void;
}

/** The part of Node's `ClientRequest` that is used here. */
interface NodeRequest {
  on(event: 'response', listener: (response: NodeResponse) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  end(body: string): void;
  destroy(error: Error): void;
}

interface NodeHttp {
  request(options: object): NodeRequest;
}

interface NodeGlobals {
  process?: { getBuiltinModule?: (name: string) => NodeHttp };
  navigator?: { userAgent?: string };
}

/**
 * Node's module for a protocol. Detects workers, Bun and Deno, which may imitate Node, by their `navigator`; Node 20 has
 * none. Uses `getBuiltinModule`, because bundlers can't resolve an import.
 */
const moduleFor = (protocol: string): NodeHttp | undefined => {
  const { process, navigator } = globalThis as NodeGlobals;
  if (!(navigator?.userAgent ?? 'Node.js').startsWith('Node.js')) return undefined;

  return process?.getBuiltinModule?.(`node:${protocol.slice(0, -1)}`);
};

const textOf = (chunks: readonly Uint8Array[]): string => {
  const decoder = new TextDecoder();
  if (chunks.length === 1) return decoder.decode(chunks[0]);

  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
};

/** Returns undefined if this runtime is not Node. */
export function nodeTransport(baseUrl: string): Transport | undefined {
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  const http = moduleFor(protocol);
  if (!http) return undefined;

  const basePath = pathname.replace(/\/$/, '');
  // Node takes an IPv6 address without its brackets.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');

  return ({ path, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = http.request({ method: 'POST', host, port, path: basePath + path, headers });
      const abort = () => request.destroy(signal.reason as Error);
      signal.addEventListener('abort', abort);

      const fail = (error: Error) => {
        signal.removeEventListener('abort', abort);
        reject(error);
      };

      request.on('error', fail);
      request.on('response', (response) => {
        const chunks: Uint8Array[] = [];
        let bytes = 0;

        const succeed = (text: string | undefined) => {
          signal.removeEventListener('abort', abort);
          const { statusCode = 0, headers: received } = response;
          resolve({ status: statusCode, text, header: (name) => received[name]?.toString() ?? null });
        };

        response.on('error', fail);
        response.on('data', (chunk) => {
          chunks.push(chunk);
          bytes += chunk.byteLength;
          if (bytes <= MAX_BYTES) return;
          response.destroy();
          succeed(undefined);
        });
        response.on('end', () => succeed(textOf(chunks)));
      });
      request.end(body);
    });
}
