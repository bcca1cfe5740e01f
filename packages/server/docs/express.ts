import express from 'express';
import { confirmBill, payBill, handleWebhook } from './billing.js';

export const app = express();

// Register this before any JSON parser, because the signature covers the raw body.
// Echoed fields such as CustomMeta can exceed the default limit of Express, 100 kB.
app.post('/webhooks', express.text({ type: '*/*', limit: '1mb' }), async (request, response) => {
  response.sendStatus(await handleWebhook(request.body, request.headers));
});

app.post('/bills/:account/pay', async (request, response) => {
  const session = await payBill(request.params.account);
  if (session) response.json(session);
  else response.sendStatus(404);
});

app.get('/bills/:account', async (request, response) => {
  response.json({ paid: await confirmBill(request.params.account) });
});
