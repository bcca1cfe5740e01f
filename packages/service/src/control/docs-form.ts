/** Serves the documentation's forms on this machine, as if a backend had sent the requests (decision 0073). */
import type { App } from '../app.js';

/** Where `docs:dev` serves the site. */
export const DOCS_ORIGINS: readonly string[] = ['http://localhost:4110', 'http://127.0.0.1:4110'];
const API = '/integrations/';

export function docsApp(app: App): App {
  return {
    fetch: async (request, env) => {
      const origin = request.headers.get('origin') ?? '';
      if (!DOCS_ORIGINS.includes(origin) || !new URL(request.url).pathname.startsWith(API))
        return app.fetch(request, env);

      const allowed = { 'access-control-allow-origin': origin, vary: 'origin' };
      if (request.method === 'OPTIONS') {
        const headers = { 'access-control-allow-headers': 'content-type, x-service-api-key', ...allowed };
        return new Response(null, { status: 204, headers });
      }
      // R-3 refuses requests with these.
      const backend = new Headers(request.headers);
      for (const name of ['origin', 'sec-fetch-site']) backend.delete(name);
      const answer = await app.fetch(new Request(request, { headers: backend }), env);
      const { status, headers, body } = answer;
      return new Response(body, { status, headers: { ...Object.fromEntries(headers), ...allowed } });
    },
  };
}
