/** Serves merchants' sites. `127.0.0.1` and `localhost` are different sites, so frames between them are cross-site. */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
/** A string is served as an HTML page. */
export type Route =
  | string
  | { body: string; type?: string; status?: number; headers?: Record<string, string> }
  | Handler;

export interface Origin {
  /** Without a trailing slash. */
  readonly url: string;
  /** Can be changed while the server runs. Keys are paths, without a query. */
  readonly routes: Record<string, Route>;
  stop(): Promise<void>;
}

export interface OriginOptions {
  host?: '127.0.0.1' | 'localhost';
  routes?: Record<string, Route>;
  /** Folders by path prefix: `{ '/loader/': 'packages/loader/dist' }`, relative to the repository. */
  folders?: Record<string, string>;
  /** Handles all other requests. Default: 404. */
  fallback?: Handler;
}

const ROOT = new URL('../../', import.meta.url).pathname;
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

export async function startOrigin(options: OriginOptions = {}): Promise<Origin> {
  const routes = { ...options.routes };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://origin');
    const route = routes[pathname];
    if (typeof route === 'function') return route(request, response);
    if (route !== undefined) {
      const page = typeof route === 'string' ? { body: route } : route;
      response.writeHead(page.status ?? 200, {
        'content-type': page.type ?? TYPES['.html'],
        ...page.headers,
      });
      response.end(page.body);
      return;
    }
    for (const [prefix, folder] of Object.entries(options.folders ?? {})) {
      if (!pathname.startsWith(prefix)) continue;
      const inside = normalize(`/${pathname.slice(prefix.length)}`);
      const body = await readFile(join(ROOT, folder, inside)).catch(() => null);
      if (body === null) continue;
      response.writeHead(200, { 'content-type': TYPES[extname(pathname)] ?? 'application/octet-stream' });
      response.end(body);
      return;
    }
    if (options.fallback) return options.fallback(request, response);
    response.writeHead(404, { 'content-type': 'text/plain' });
    response.end(`no route for ${pathname}`);
  };
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(String(error));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return {
    url: `http://${options.host ?? '127.0.0.1'}:${address.port}`,
    routes,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The body of a request, as text. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
