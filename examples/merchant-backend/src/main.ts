import { serve } from '@hono/node-server';
import { createServiceClient } from '@embedded-sessions/server';
import { createApp } from './app.js';
import { createBilling } from './billing.js';
import { readConfig } from './config.js';
import { createStore } from './store.js';

const config = readConfig(process.env);
const { operator } = config;
const client = createServiceClient({
  baseUrl: config.baseUrl,
  baseUrls: { staging: operator.staging.baseUrl, production: operator.production.baseUrl },
  apiKey: config.apiKey,
});
const store = createStore();
const now = (): Date => new Date();
const billing = createBilling({ client, businessUnit: operator.businessUnit, store, now });
const app = createApp({ config, billing, store, now, log: (line) => console.error(line) });
const server = serve({ fetch: app.fetch, port: config.port, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(JSON.stringify({ ready: true, env: config.environment, url: `http://localhost:${port}` })),
);
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => server.close(() => process.exit(0)));
