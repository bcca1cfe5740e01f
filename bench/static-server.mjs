// The baseline for the service: Hono validates the same request with the same schema, stores nothing and always returns the
// same body. `node bench/static-server.mjs` prints its address.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const ofService = createRequire(new URL('../packages/service/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(ofService.resolve(name)).href);
const { Hono } = await load('hono');
const { serve } = await load('@hono/node-server');
const { readRequest, requestSchemas } = await import('../packages/server-types/dist/schemas.js');

const BODY = JSON.stringify({
  hasErrors: false,
  errors: [],
  data: {
    PaymentSessionIdentifier: 'stg_1m7yz5pt0QNEUiah2bZg3YGeAYZ25Pw',
    PaymentLogInLink: `http://127.0.0.1:4100/s/stg_1m7yz5pt0QNEUiah2bZg3YGeAYZ25Pw#${'x'.repeat(43)}`,
    Status: 'RequiresPaymentSource',
  },
});

const app = new Hono();
app.post('/integrations/embedded/initiate', async (c) => {
  const read = readRequest(requestSchemas.payment, await c.req.json());
  return read.ok ? c.body(BODY, 200, { 'content-type': 'application/json' }) : c.json(read.problems, 400);
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`);
});
