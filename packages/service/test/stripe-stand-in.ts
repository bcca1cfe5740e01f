/**
 * A stand-in for Stripe's API on a real socket. It follows what Stripe documents about idempotency keys, statuses, test
 * numbers, rate limits, search delays and signatures, and knows only what the example adapter uses.
 */
import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export const STRIPE_KEY = 'sk_test_standin0123456789';
export const WEBHOOK_SECRET = 'whsec_standin0123456789';

type Params = Record<string, string>;
type Json = Record<string, unknown>;
interface Answer {
  readonly status: number;
  readonly body: Json;
}
interface Intent extends Json {
  id: string;
  account: string;
  status: string;
  amount: number;
  created: number;
  metadata: Params;
  method: string;
  params: Params;
}
interface StripeRefund extends Json {
  id: string;
  payment_intent: string;
  amount: number;
  metadata: Params;
}

interface Behavior {
  /** Why the bank declines it, at setup or charge. */
  readonly declines?: string;
  /** Setup succeeds anyway. */
  readonly setsUp?: true;
  /** The bank requires a challenge first. */
  readonly action?: true;
}

/** The behavior of Stripe's test numbers. */
const CARDS: Readonly<Record<string, Behavior>> = {
  '4242424242424242': {},
  '4000000000000002': { declines: 'generic_decline' },
  '4000000000009995': { declines: 'insufficient_funds' },
  '4000000000009987': { declines: 'lost_card' },
  '4000000000009979': { declines: 'stolen_card' },
  '4000000000006975': { declines: 'card_velocity_exceeded' },
  '4000000000000069': { declines: 'expired_card' },
  '4000000000000127': { declines: 'incorrect_cvc' },
  '4000000000000119': { declines: 'processing_error' },
  '4000000000000341': { declines: 'generic_decline', setsUp: true },
  '4000000000003055': {},
  '4000000000003220': { action: true },
  '4000002760003184': { action: true },
  '4000008260003178': { action: true, declines: 'insufficient_funds' },
};
/** These are error codes. The others are decline codes of `card_declined`. */
const CODES: ReadonlySet<string> = new Set(['expired_card', 'incorrect_cvc', 'processing_error']);
/** Why a debit fails; null if it succeeds. */
const BANKS: Readonly<Record<string, string | null>> = {
  '000123456789': null,
  '000111111113': 'account_closed',
  '000111111116': 'no_account',
  '000222222227': 'insufficient_funds',
  '000333333335': 'debit_not_authorized',
};

export class StripeStandIn {
  readonly intents: Intent[] = [];
  readonly refunds: StripeRefund[] = [];
  /** Bodies of the events so far. */
  readonly events: string[] = [];
  /** Changed expiry dates, by method. */
  readonly expiries = new Map<string, string>();
  /** Acts but drops the connection instead of responding. */
  losesAnswers = false;
  /** Requests that still get 429. */
  limited = 0;
  /** Delay until the search finds a payment, ms. */
  searchLagMs = 60_000;
  /** Whether typed bank accounts must be verified first, which is Stripe's default. */
  verifiesBanks = false;
  readonly customers: Set<string> = new Set();
  #methods = new Map<string, string>();
  #keys = new Map<string, { params: string; response: Answer | null }>();
  #disputes: Json[] = [];
  #ids = 0;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  async start(): Promise<{ host: string; port: number; protocol: 'http' }> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port, protocol: 'http' };
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** Stripe forgets keys after a day. */
  forgetKeys(): void {
    this.#keys.clear();
  }

  /** A bank payment settles, or is returned. */
  settle(intent: Intent): void {
    const code = BANKS[intent.method];
    intent.status = code ? 'requires_payment_method' : 'succeeded';
    if (code) intent['last_payment_error'] = { code };
    this.#announce(code ? 'payment_intent.payment_failed' : 'payment_intent.succeeded', intent, intent);
  }

  /** The payer passes the challenge of a payment, or fails it. */
  answerChallenge(intent: Intent, passes: boolean): void {
    const declines = passes ? CARDS[intent.method]?.declines : 'payment_intent_authentication_failure';
    intent.status = declines === undefined ? 'succeeded' : 'requires_payment_method';
    if (declines !== undefined) intent['last_payment_error'] = errorOf(declines);
    this.#announce(
      `payment_intent.${declines === undefined ? 'succeeded' : 'payment_failed'}`,
      intent,
      intent,
    );
  }

  /** The payer disputes a payment and wins. */
  dispute(intent: Intent, reason = 'fraudulent'): void {
    intent.status = 'succeeded';
    const { id: payment_intent, amount, currency } = intent;
    const dispute = { id: this.#id('dp'), payment_intent, amount, currency, status: 'lost', reason };
    this.#disputes.push(dispute);
    this.#announce('charge.dispute.closed', dispute, intent);
  }

  /** Signs like Stripe: a time, and an HMAC of time and body. */
  signed(body: string): { headers: Headers; body: Uint8Array } {
    const time = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', WEBHOOK_SECRET).update(`${time}.${body}`).digest('hex');
    const headers = new Headers({ 'stripe-signature': `t=${time},v1=${signature}` });
    return { headers, body: new TextEncoder().encode(body) };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '/', 'http://stripe.test');
    const text = request.method === 'POST' ? Buffer.concat(chunks).toString() : url.search.slice(1);
    const answer = await this.#checked(request, url.pathname, text);
    if (this.losesAnswers) return void request.socket.destroy();
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer.body));
  }

  async #checked({ method, headers }: IncomingMessage, path: string, text: string): Promise<Answer> {
    if (headers.authorization !== `Bearer ${STRIPE_KEY}`) return refused(401, 'invalid_request_error');
    if (this.limited > 0) {
      this.limited--;
      return refused(429, 'invalid_request_error', { code: 'rate_limit' });
    }
    const account = String(headers['stripe-account'] ?? 'platform');
    const params: Params = Object.fromEntries(new URLSearchParams(text));
    const work = (): Promise<Answer> => this.#route(`${method} ${path}`, params, account);
    const key = headers['idempotency-key'];
    return method === 'POST' && key !== undefined
      ? this.#once(`${account} ${String(key)}`, text, work)
      : work();
  }

  /** Stores the first response of a key. The same key with other parameters is an error. */
  async #once(key: string, params: string, work: () => Promise<Answer>): Promise<Answer> {
    const known = this.#keys.get(key);
    if (known && known.params !== params) return refused(400, 'idempotency_error');
    if (known?.response === null)
      return refused(409, 'idempotency_error', { code: 'idempotency_key_in_use' });
    if (known?.response) return known.response;
    this.#keys.set(key, { params, response: null });
    const response = await work();
    this.#keys.set(key, { params, response });
    return response;
  }

  async #route(route: string, params: Params, account: string): Promise<Answer> {
    const [, customer] = /^DELETE \/v1\/customers\/(\w+)$/.exec(route) ?? [];
    if (customer !== undefined)
      return this.customers.delete(customer) ? done({ id: customer, deleted: true }) : missing();
    const [, changed] = /^POST \/v1\/payment_methods\/(pm_\w+)$/.exec(route) ?? [];
    if (changed !== undefined) return this.#changeMethod(changed, params);
    const [, id, action] = /^\w+ \/v1\/payment_intents\/(pi_\w+)(?:\/(\w+))?$/.exec(route) ?? [];
    if (id !== undefined) return this.#ofIntent(id, action, params, account);
    switch (route) {
      case 'POST /v1/customers':
        return this.#makeCustomer();
      case 'POST /v1/payment_methods':
        return this.#makeMethod(params);
      case 'POST /v1/setup_intents':
        return this.#setUp(params);
      case 'POST /v1/payment_intents':
        return this.#pay(params, account);
      case 'GET /v1/payment_intents':
        return this.#list(params, account);
      case 'GET /v1/payment_intents/search':
        return this.#search(params, account);
      case 'POST /v1/refunds':
        return this.#refund(params);
      case 'GET /v1/refunds':
        return list(this.refunds.filter((refund) => refund.payment_intent === params['payment_intent']));
      case 'GET /v1/disputes':
        return list(
          this.#disputes.filter((dispute) => dispute['payment_intent'] === params['payment_intent']),
        );
      default:
        return refused(404, 'invalid_request_error');
    }
  }

  #makeCustomer(): Answer {
    const id = this.#id('cus');
    this.customers.add(id);
    return done({ id, object: 'customer' });
  }

  #makeMethod(params: Params): Answer {
    const number = params['card[number]'] ?? params['us_bank_account[account_number]'] ?? '';
    if (!(number in CARDS) && !(number in BANKS))
      return refused(400, 'invalid_request_error', { code: 'account_number_invalid' });
    const id = this.#id('pm');
    this.#methods.set(id, number);
    const fingerprint = createHash('sha256').update(number).digest('hex').slice(0, 16);
    const about = { fingerprint, last4: number.slice(-4) };
    return done(
      number in CARDS
        ? { id, type: 'card', card: { ...about, brand: 'visa' } }
        : { id, type: 'us_bank_account', us_bank_account: about },
    );
  }

  #changeMethod(id: string, params: Params): Answer {
    if (!this.#methods.has(id)) return missing();
    const [month, year] = [params['card[exp_month]'], params['card[exp_year]']];
    if (year === '2099') return refused(402, 'card_error', { code: 'invalid_expiry_year', message: 'No.' });
    this.expiries.set(id, `${month}/${year}`);
    return done({ id, type: 'card' });
  }

  #setUp(params: Params): Answer {
    const card = CARDS[this.#methods.get(params['payment_method'] ?? '') ?? ''];
    if (card?.declines !== undefined && !card.setsUp && !card.action)
      return refused(402, 'card_error', { ...errorOf(card.declines), message: 'Your card was declined.' });
    return done({ id: this.#id('seti'), status: card?.action ? 'requires_action' : 'succeeded' });
  }

  async #pay(params: Params, account: string): Promise<Answer> {
    const method = this.#methods.get(params['payment_method'] ?? '');
    if (method === undefined || !this.customers.has(params['customer'] ?? '')) return missing(400);
    const isBank = method in BANKS;
    if (isBank && params['mandate_data[customer_acceptance][type]'] === undefined)
      return refused(400, 'invalid_request_error', { code: 'payment_intent_mandate_invalid' });
    const intent: Intent = {
      id: this.#id('pi'),
      object: 'payment_intent',
      account,
      amount: Number(params['amount']),
      get amount_received() {
        return this.status === 'succeeded' ? this.amount : 0;
      },
      currency: params['currency'],
      created: Math.floor(Date.now() / 1000),
      metadata: { attemptId: params['metadata[attemptId]'] ?? '' },
      status: 'requires_payment_method',
      client_secret: 'pi_secret',
      last_payment_error: null,
      cancellation_reason: null,
      method,
      params,
    };
    this.intents.push(intent);
    // Others see the intent before its confirmation completes.
    await delay(5);
    return isBank ? this.#debit(intent) : this.#chargeCard(intent);
  }

  #debit(intent: Intent): Answer {
    intent.status = this.verifiesBanks ? 'requires_action' : 'processing';
    this.#announce(`payment_intent.${intent.status}`, intent, intent);
    return done(intent);
  }

  #chargeCard(intent: Intent): Answer {
    const card = CARDS[intent.method];
    const code = card?.action ? 'authentication_required' : card?.declines;
    if (code === undefined) {
      intent.status = 'succeeded';
      this.#announce('payment_intent.succeeded', intent, intent);
      return done(intent);
    }
    // Challenges the payer unless the request says that none is present.
    if (card?.action && !intent.params['off_session'] && !intent.params['error_on_requires_action']) {
      intent.status = 'requires_action';
      const url = 'https://hooks.stripe.com/3d_secure_2/hosted?id=7';
      intent['next_action'] = { type: 'redirect_to_url', redirect_to_url: { url } };
      return done(intent);
    }
    intent['last_payment_error'] = errorOf(code);
    this.#announce('payment_intent.payment_failed', intent, intent);
    return refused(402, 'card_error', { ...errorOf(code), payment_intent: intent });
  }

  #ofIntent(id: string, action: string | undefined, params: Params, account: string): Answer {
    const intent = this.intents.find((each) => each.id === id && each.account === account);
    if (!intent) return missing();
    if (action === 'cancel' && intent.status === 'succeeded')
      return refused(400, 'invalid_request_error', { code: 'payment_intent_unexpected_state' });
    if (action === 'cancel') {
      intent.status = 'canceled';
      intent['cancellation_reason'] = params['cancellation_reason'] ?? null;
    }
    return done(intent);
  }

  #list(params: Params, account: string): Answer {
    const mine = this.intents.filter(
      (each) => each.account === account && each.created >= Number(params['created[gte]'] ?? 0),
    );
    const newest = mine.toReversed();
    const after = newest.findIndex(({ id }) => id === params['starting_after']) + 1;
    const limit = Number(params['limit'] ?? 10);
    return list(newest.slice(after, after + limit), after + limit < newest.length);
  }

  #search(params: Params, account: string): Answer {
    const attemptId = /^metadata\['attemptId'\]:'(.*)'$/.exec(params['query'] ?? '')?.[1];
    const until = Date.now() - this.searchLagMs;
    return list(
      this.intents.filter(
        (each) =>
          each.account === account &&
          each.metadata['attemptId'] === attemptId &&
          each.created * 1000 <= until,
      ),
    );
  }

  async #refund(params: Params): Promise<Answer> {
    await delay(5);
    const intent = this.intents.find(({ id }) => id === params['payment_intent']);
    const amount = Number(params['amount']);
    const back = this.refunds.filter((refund) => refund.payment_intent === intent?.id);
    const left = (intent?.amount ?? 0) - back.reduce((sum, refund) => sum + refund.amount, 0);
    if (!intent || amount > left)
      return refused(400, 'invalid_request_error', { code: 'charge_already_refunded' });
    const refund: StripeRefund = {
      id: this.#id('re'),
      payment_intent: intent.id,
      amount,
      currency: intent['currency'],
      status: 'succeeded',
      failure_reason: null,
      metadata: { refundId: params['metadata[refundId]'] ?? '' },
    };
    this.refunds.push(refund);
    this.#announce('refund.created', refund, intent);
    return done(refund);
  }

  #announce(type: string, object: Json, { account }: Intent): void {
    const of = account === 'platform' ? {} : { account };
    this.events.push(JSON.stringify({ id: this.#id('evt'), object: 'event', ...of, type, data: { object } }));
  }

  #id(prefix: string): string {
    return `${prefix}_${++this.#ids}`;
  }
}

const errorOf = (code: string): Json =>
  CODES.has(code) ? { code } : { code: 'card_declined', decline_code: code };
const missing = (status = 404): Answer =>
  refused(status, 'invalid_request_error', { code: 'resource_missing' });
const done = (body: Json): Answer => ({ status: 200, body });
const list = (data: readonly Json[], has_more = false): Answer => done({ object: 'list', data, has_more });
const refused = (status: number, type: string, more: Json = {}): Answer => ({
  status,
  body: { error: { type, message: 'Refused by the stand-in.', ...more } },
});
