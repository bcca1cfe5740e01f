import fastify from 'fastify';
import { confirmBill, payBill, handleWebhook } from './billing.js';

export const app = fastify();

// A separate scope where JSON stays text, because the signature covers the raw body.
app.register((webhooks, _options, done) => {
  webhooks.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, parsed) => {
    parsed(null, body);
  });
  webhooks.post<{ Body: string }>('/webhooks', async (request, reply) =>
    reply.code(await handleWebhook(request.body, request.headers)).send(),
  );
  done();
});

app.post<{ Params: { account: string } }>('/bills/:account/pay', async (request, reply) => {
  const session = await payBill(request.params.account);
  return session ?? reply.code(404).send();
});

app.get<{ Params: { account: string } }>('/bills/:account', async (request) => ({
  paid: await confirmBill(request.params.account),
}));
