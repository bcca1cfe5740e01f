import { Hono } from 'hono';
import { confirmBill, payBill, handleWebhook } from './billing.js';

export const app = new Hono();

app.post('/webhooks', async (context) =>
  context.body(null, await handleWebhook(await context.req.text(), context.req.raw.headers)),
);

app.post('/bills/:account/pay', async (context) => {
  const session = await payBill(context.req.param('account'));
  return session ? context.json(session) : context.notFound();
});

app.get('/bills/:account', async (context) =>
  context.json({ paid: await confirmBill(context.req.param('account')) }),
);
