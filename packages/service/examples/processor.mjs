/**
 * A `PaymentProcessor` for a card gateway that speaks JSON over HTTPS:
 * `embedded-sessions serve --processor ./processor.mjs`, with GATEWAY_URL and GATEWAY_KEY in the environment.
 *
 * @type {import('@embedded-sessions/service').PaymentProcessor}
 */
const processor = {
  async tokenize(source, { businessUnit }) {
    const { status, body } = await call('POST', '/tokens', { ...source, merchant: businessUnit });
    if (status === 422) {
      throw Object.assign(new Error(body.message), { code: 'source_refused', field: body.field });
    }
    expect(status === 201, status);
    return { token: body.token, last4: body.last4, ...(body.brand ? { brand: body.brand } : {}) };
  },

  async charge({ attemptId, token, amount, context }) {
    const { businessUnit: merchant, currency, descriptor } = context;
    // For a known id, the gateway returns the existing charge, so a retry charges once.
    const { status, body } = await call('PUT', `/charges/${attemptId}`, {
      token,
      amount,
      currency,
      merchant,
      ...(descriptor ? { descriptor } : {}),
    });
    expect(status === 200 || status === 201, status);
    return outcomeOf(body);
  },

  async lookup(attemptId) {
    const { status, body } = await call('GET', `/charges/${attemptId}`);
    if (status === 404) return 'never_seen';
    expect(status === 200, status);
    return outcomeOf(body);
  },

  async refund({ refundId, attemptId, amount, reason }) {
    // As with charges, repeating a refund id refunds once and returns the current state.
    const { status, body } = await call('PUT', `/refunds/${refundId}`, {
      charge: attemptId,
      amount,
      ...(reason ? { reason } : {}),
    });
    expect(status === 200 || status === 201, status);
    return outcomeOf(body);
  },
};
export default processor;

// The service's outcome for each status of the gateway.
const OUTCOMES = new Map([
  ['succeeded', 'succeeded'],
  ['declined', 'declined'],
  ['pending', 'pending'],
  ['returned', 'returned'],
  ['failed', 'failed'],
]);

function outcomeOf({ outcome, reason, reference }) {
  const mapped = OUTCOMES.get(outcome);
  if (mapped === undefined) throw gatewayError('returned an unknown outcome');
  return { outcome: mapped, ...(reason ? { reason } : {}), ...(reference ? { reference } : {}) };
}

const TIMEOUT_MS = 20_000;

async function call(method, path, body) {
  const response = await fetch(`${process.env.GATEWAY_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${process.env.GATEWAY_KEY}`, 'content-type': 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await textOf(response);
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}

const MAX_CHARACTERS = 100_000;

// A response without an end would take all memory of the process, which serves other business units too.
async function textOf(response) {
  let text = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.length > MAX_CHARACTERS) throw gatewayError('sent too much');
  }
  return text;
}

function expect(holds, status) {
  if (!holds) throw gatewayError(`returned ${status}`, `gateway_${status < 500 ? '4xx' : '5xx'}`);
}

// If this is thrown, the service calls `lookup` until it has an outcome. It logs only `name` and `code`.
function gatewayError(what, code = 'gateway_error') {
  return Object.assign(new Error(`the gateway ${what}`), { code });
}
