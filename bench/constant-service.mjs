// The lower bound for payments: `node:http` that parses the same requests, returns constants and sends the same webhooks.
// `node bench/constant-service.mjs WEBHOOK_URL` prints its address.
import { createServer } from 'node:http';

const [, , webhookUrl] = process.argv;
const ID = 'stg_1m7yz5pt0QNEUiah2bZg3YGeAYZ25Pw';
const envelope = (data) => JSON.stringify({ hasErrors: false, errors: [], data });
const ofPage = (data) => JSON.stringify({ ok: true, data });

const listed = {
  PaymentIdentifier: 'pay_1m7yz5pt0QNEUiah2bZg3YGeAYZ25Pw',
  PaymentSessionIdentifier: ID,
  Amount: 8412,
  Method: 'Credit Card',
  Status: 'succeeded',
  Last4: '4242',
  CreatedAt: '2026-11-26T12:00:00.000Z',
};

const RESPONSES = {
  list: envelope({ Payments: Array.from({ length: 100 }, () => listed), HasMore: true }),
  create: envelope({
    PaymentSessionIdentifier: ID,
    PaymentLogInLink: `http://127.0.0.1/s/${ID}#${'x'.repeat(43)}`,
    Status: 'RequiresPaymentSource',
  }),
  read: ofPage({ flow: 'payment', charges: [{ amount: 8412, description: 'Water' }], methods: [] }),
  pay: ofPage({ status: 'succeeded', amount: 8412, last4: '4242' }),
  query: envelope({
    PaymentSessionIdentifier: ID,
    Status: 'Succeeded',
    Payments: [{ Amount: 8412, Method: 'Credit Card', Status: 'succeeded', Last4: '4242' }],
  }),
};

const STEPS = {
  initiate: 'create',
  query: 'query',
  pay: 'pay',
  charge: 'pay',
  refund: 'pay',
  list: 'list',
};

const stepOf = (path) => STEPS[path.slice(path.lastIndexOf('/') + 1)] ?? 'read';

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    if (body !== '') JSON.parse(body);

    const step = stepOf(request.url);
    response.writeHead(200, { 'content-type': 'application/json' }).end(RESPONSES[step]);
    if (step === 'pay') void notify();
  });
});

async function notify() {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: RESPONSES.query };
  const response = await fetch(webhookUrl, init);
  await response.text();
}

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
