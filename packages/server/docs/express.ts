import express from 'express';
import { confirmBill, payBill, takeWebhook } from './billing.js';

export const app = express();

// Before any JSON parser: the signature is over the body as it came.
// What it repeats of a request, such as CustomMeta, may be larger than the 100 kB that Express takes by itself.
app.post('/webhooks', express.text({ type: '*/*', limit: '1mb' }), async (request, response) => {
  response.sendStatus(await takeWebhook(request.body, request.headers));
});

app.post('/bills/:account/pay', async (request, response) => {
  const session = await payBill(request.params.account);
  if (session) response.json(session);
  else response.sendStatus(404);
});

app.get('/bills/:account', async (request, response) => {
  response.json({ paid: await confirmBill(request.params.account) });
});
