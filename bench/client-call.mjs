// CPU time of one client call, µs: `node bench/client-call.mjs NAME URL FOLDER`. Started by client.bench.ts.
import { createRequire } from 'node:module';

const [, , name, url, folder] = process.argv;
const CALLS = 1_500;
const peer = createRequire(`${folder}/`);

const CLIENTS = {
  ours: async () => {
    const { createServiceClient } = await import(
      new URL('../packages/server/dist/index.js', import.meta.url).href
    );
    const client = createServiceClient({ environment: 'staging', baseUrl: url, apiKey: 'stg_key' });
    return () =>
      client.payments.create({
        BusinessUnitSlug: 'harborlight-water',
        Channel: 'QuickPay',
        Charges: [{ Amount: 8412, ClientAccount: { AccountNumber: '100', Name: 'Dana Reyes' } }],
      });
  },
  stripe: async () => {
    const Stripe = peer('stripe');
    const { hostname, port } = new URL(url);
    const client = new Stripe('sk_test_1', { host: hostname, port, protocol: 'http', telemetry: false });
    return () =>
      client.checkout.sessions.create({
        mode: 'payment',
        success_url: 'https://example.com',
        line_items: [
          {
            quantity: 1,
            price_data: { currency: 'usd', unit_amount: 8412, product_data: { name: 'Water' } },
          },
        ],
      });
  },
  square: async () => {
    const { SquareClient } = peer('square');
    const client = new SquareClient({ token: 'token', baseUrl: url });
    return () =>
      client.checkout.paymentLinks.create({
        idempotencyKey: String(Math.random()),
        quickPay: { name: 'Water', locationId: 'L1', priceMoney: { amount: BigInt(8412), currency: 'USD' } },
      });
  },
  openai: async () => {
    const { OpenAI } = peer('openai');
    const client = new OpenAI({ apiKey: 'key', baseURL: url });
    return () => client.embeddings.create({ model: 'm', input: 'Water', encoding_format: 'float' });
  },
};

const call = await CLIENTS[name]();
for (let times = 0; times < CALLS / 3; times++) await call();
const before = process.cpuUsage();
for (let times = 0; times < CALLS; times++) await call();
const { user, system } = process.cpuUsage(before);
console.log((user + system) / CALLS);
