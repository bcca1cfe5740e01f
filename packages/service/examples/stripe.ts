/**
 * A `PaymentProcessor` for Stripe. Start the service with `--processor ./stripe.ts`, with `npm install stripe@~22.6` next to it
 * and in the environment:
 *
 * - STRIPE_SECRET_KEY
 * - STRIPE_WEBHOOK_SECRETS: the signing secrets of the webhook endpoints at `/processor/events`, separated by commas
 * - STRIPE_ACCOUNTS: optional, `{"business-unit": "acct_…"}`; payments of that unit are direct charges of that account
 */
import { Stripe } from 'stripe';
import type {
  Charge,
  EventDelivery,
  LookupOutcome,
  PaymentProcessor,
  PaymentSource,
  ProcessorContext,
  ProcessorEvent,
  Refund,
  RefundOutcome,
  RequiresAction,
  SourceRefused,
  ProcessorResult,
  Tokenized,
} from '@embedded-sessions/service';

export interface StripeOptions {
  /** From {@link boundedStripe}. */
  readonly stripe: Stripe;
  readonly webhookSecrets: readonly string[];
  /** Connected accounts, by business unit. */
  readonly accounts?: Readonly<Record<string, string>>;
}

/** Shorter than the service's timeouts: 60 s for a charge, 8 s for a lookup. */
const CHARGE = { timeout: 20_000, maxNetworkRetries: 1 };
const LOOKUP = { timeout: 3_000, maxNetworkRetries: 0 };

/** Stripe's search can lag by an hour. Lists contain new payments immediately. */
const SEARCH_LAG_S = 65 * 60;
/** Payments or refunds to list before giving up. */
const MAX_LISTED = 1_000;
/** A hundred payments with all the metadata that Stripe allows. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Stripe's requests and responses as this module knows them. Later versions of the package would use their own. */
const API_VERSION = '2026-08-26.dahlia';

/**
 * Limits time and size of responses. Stripe's default client for Node reads a body of any length for as long as data
 * arrives, in a process that serves other business units too.
 */
export function boundedStripe(key: string, config: Stripe.StripeConfig = {}): Stripe {
  return new Stripe(key, {
    ...CHARGE,
    apiVersion: API_VERSION,
    ...config,
    httpClient: Stripe.createFetchHttpClient(boundedFetch),
  });
}

/**
 * Reads the whole response, so that the timeout of the call covers it. Throws for errors that aren't Stripe's, such as a
 * proxy's: Stripe's package takes any JSON without an `error` for success, whatever its status.
 */
const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error('Stripe sent too much');
  }
  const body = Buffer.concat(parts);
  if (!response.ok && !isStripeError(body.toString()))
    throw new Error(`The response with status ${response.status} is not Stripe's.`);
  return new Response(body, response);
};

function isStripeError(body: string): boolean {
  try {
    return Object(JSON.parse(body)).error !== undefined;
  } catch {
    return false;
  }
}

async function* bounded<T>(list: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  for await (const one of list) {
    if (++count > MAX_LISTED) throw new Error('Stripe lists too many to rule out that one exists');
    yield one;
  }
}

export class StripeProcessor implements PaymentProcessor {
  /** Stripe's page for 3-D Secure, with the bank's page in a frame of its own. */
  readonly frameOrigins = ['https://hooks.stripe.com'];
  readonly #stripe: Stripe;
  readonly #webhookSecrets: readonly string[];
  readonly #accounts: Readonly<Record<string, string>>;

  constructor({ stripe, webhookSecrets, accounts = {} }: StripeOptions) {
    this.#stripe = stripe;
    this.#webhookSecrets = webhookSecrets;
    this.#accounts = accounts;
  }

  /** The token is a separate customer and its payment method, because only customers' methods can be charged again. */
  async tokenize(source: PaymentSource, context: ProcessorContext): Promise<Tokenized> {
    const account = this.#account(context);
    let token: string | undefined;
    try {
      const method = await this.#stripe.paymentMethods.create(methodOf(source), account);
      const customer = await this.#stripe.customers.create(
        context.payer?.email === undefined ? {} : { email: context.payer.email },
        account,
      );
      token = `${customer.id}/${method.id}`;
      // A charge reports a decline better: in the payer's language, and to the merchant.
      if (source.method === 'Credit Card' && context.purpose !== 'charge')
        await this.#setUp(customer.id, method.id, context);
      const { card, us_bank_account: bank } = method;
      const fingerprint = card?.fingerprint ?? bank?.fingerprint;
      const number = source.method === 'ACH' ? source.accountNumber : source.cardNumber;
      return {
        token,
        last4: number.slice(-4),
        ...(card ? { brand: BRANDS.get(card.brand) ?? card.brand } : {}),
        ...(fingerprint ? { fingerprint } : {}),
      };
    } catch (error) {
      if (token !== undefined) await this.forget(token, context).catch(() => undefined);
      throw refusalOf(error) ?? withoutDetails(error);
    }
  }

  /** Deletes the token's customer and payment method. Payments stay. */
  async forget(token: string, context: ProcessorContext): Promise<void> {
    const [customer = ''] = token.split('/');
    try {
      await this.#stripe.customers.del(customer, {}, { ...this.#account(context), ...LOOKUP });
    } catch (error) {
      const isGone =
        error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';
      if (!isGone) throw withoutDetails(error);
    }
  }

  async updateExpiry(token: string, expiry: string, context: ProcessorContext): Promise<void> {
    const [, method = ''] = token.split('/');
    const [exp_month = 0, year = 0] = expiry.split('/').map(Number);
    try {
      const card = { exp_month, exp_year: 2_000 + year };
      await this.#stripe.paymentMethods.update(method, { card }, this.#account(context));
    } catch (error) {
      throw refusalOf(error) ?? withoutDetails(error);
    }
  }

  /** Checks the card with its bank and prepares it for charges without the payer. */
  async #setUp(customer: string, payment_method: string, context: ProcessorContext): Promise<void> {
    const setup = await this.#stripe.setupIntents.create(
      { customer, payment_method, payment_method_types: ['card'], confirm: true, usage: 'off_session' },
      this.#account(context),
    );
    // The bank challenges the payer when the card is charged.
    if (setup.status === 'requires_action' && context.channel === 'QuickPay') return;
    if (setup.status !== 'succeeded')
      throw sourceRefused(
        'The bank requires a check for this card that is not possible here. Use another card.',
      );
  }

  async charge({ attemptId, token, amount, context }: Charge): Promise<Settled | RequiresAction> {
    const [customer = '', payment_method = ''] = token.split('/');
    const account = this.#account(context);
    const isCard = context.method === 'Credit Card';
    try {
      const intent = await this.#stripe.paymentIntents.create(
        {
          amount,
          currency: context.currency.toLowerCase(),
          customer,
          payment_method,
          payment_method_types: [isCard ? 'card' : 'us_bank_account'],
          confirm: true,
          metadata: { attemptId },
          ...presenceOf(context),
          ...(isCard ? {} : mandateOf(context)),
          ...(context.descriptor === undefined ? {} : { description: context.descriptor }),
        },
        { ...account, idempotencyKey: attemptId },
      );
      return await this.#settled(intent, context);
    } catch (error) {
      if (error instanceof Stripe.errors.StripeCardError && error.payment_intent)
        return declinedBy(error.payment_intent);
      throw withoutDetails(error);
    }
  }

  async lookup(
    attemptId: string,
    context: ProcessorContext,
  ): Promise<ProcessorResult<LookupOutcome> | RequiresAction> {
    const account = this.#account(context);
    try {
      const intent = await this.#find(attemptId, context.reference, account);
      if (intent === null) return { outcome: 'never_seen' };
      const lost = intent.status === 'succeeded' ? await this.#lostDispute(intent.id, account) : undefined;
      if (lost) return returnedBy(lost, intent.id);
      return await this.#settled(intent, context);
    } catch (error) {
      throw withoutDetails(error);
    }
  }

  async cancel(
    attemptId: string,
    context: ProcessorContext,
  ): Promise<ProcessorResult<LookupOutcome> | RequiresAction> {
    const account = this.#account(context);
    try {
      const intent = await this.#find(attemptId, context.reference, account);
      if (intent?.status === 'requires_action')
        await this.#stripe.paymentIntents.cancel(
          intent.id,
          { cancellation_reason: 'abandoned' },
          { ...account, ...LOOKUP },
        );
    } catch (error) {
      // The payer may have passed the challenge first.
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw withoutDetails(error);
    }
    return this.lookup(attemptId, context);
  }

  async refund({ refundId, attemptId, amount, context }: Refund): Promise<ProcessorResult<RefundOutcome>> {
    const account = this.#account(context);
    try {
      const intent = await this.#find(attemptId, context.reference, account);
      if (intent === null) throw new Error('Stripe has no such charge');

      // Look first: after a day, Stripe forgets the idempotency key and would refund again.
      const refunds = this.#stripe.refunds.list(
        { payment_intent: intent.id, limit: 100 },
        { ...account, ...LOOKUP },
      );
      for await (const refund of bounded(refunds))
        if (refund.metadata?.['refundId'] === refundId) return refundOf(refund);
      const refund = await this.#stripe.refunds.create(
        { payment_intent: intent.id, amount, metadata: { refundId, attemptId } },
        { ...account, idempotencyKey: refundId },
      );
      return refundOf(refund);
    } catch (error) {
      if (error instanceof Stripe.errors.StripeInvalidRequestError && NOT_REFUNDABLE.has(error.code ?? ''))
        return { outcome: 'failed', ...(error.code === undefined ? {} : { reason: error.code }) };
      throw withoutDetails(error);
    }
  }

  async receive({ headers, body }: EventDelivery): Promise<ProcessorEvent[]> {
    const event = this.#verified(Buffer.from(body), headers.get('stripe-signature') ?? '');
    // The owner of a connected account writes any metadata: in its events, trust only Stripe's own id.
    const isForeign = event.account !== undefined;
    if (
      event.type === 'payment_intent.processing' ||
      event.type === 'payment_intent.succeeded' ||
      event.type === 'payment_intent.payment_failed' ||
      event.type === 'payment_intent.canceled'
    ) {
      const attemptId = event.data.object.metadata['attemptId'];
      const outcome = outcomeOf(event.data.object);
      // Other payments of the Stripe account have no attemptId.
      if (attemptId === undefined || outcome === null) return [];
      return [isForeign ? outcome : { attemptId, ...outcome }];
    }
    if (
      event.type === 'refund.created' ||
      event.type === 'refund.updated' ||
      event.type === 'refund.failed'
    ) {
      const refundId = event.data.object.metadata?.['refundId'];
      if (refundId === undefined) return [];

      const refund = refundOf(event.data.object);
      return [isForeign ? refund : { refundId, ...refund }];
    }
    if (event.type !== 'charge.dispute.closed') return [];

    const { status, payment_intent: intent } = event.data.object;
    if (status !== 'lost' || intent === null) return [];
    return [returnedBy(event.data.object, typeof intent === 'string' ? intent : intent.id)];
  }

  #account({ businessUnit }: ProcessorContext): Stripe.RequestOptions {
    const stripeAccount = this.#accounts[businessUnit];
    return stripeAccount === undefined ? {} : { stripeAccount };
  }

  /** Throws unless one of the secrets has signed it. The platform's and Connect's endpoints have different secrets. */
  #verified(body: Buffer, signature: string): Stripe.Event {
    for (const secret of this.#webhookSecrets)
      try {
        return this.#stripe.webhooks.constructEvent(body, signature, secret);
      } catch {
        // Signed with another secret.
      }
    throw new Error('The signature of the event is wrong.');
  }

  /** The outcome of an intent, or its challenge. Cancels intents that require any other action, which can't be shown. */
  async #settled(intent: Stripe.PaymentIntent, context: ProcessorContext): Promise<Settled | RequiresAction> {
    const outcome = outcomeOf(intent);
    if (outcome !== null) return outcome;
    if (intent.status !== 'requires_action') throw new Error(`The payment is still ${intent.status}`);

    const url = intent.next_action?.redirect_to_url?.url;
    if (url && context.returnUrl !== undefined)
      return { outcome: 'requires_action', action: { url }, reference: intent.id };

    await this.#stripe.paymentIntents.cancel(intent.id, {}, { ...this.#account(context), ...LOOKUP });
    return { outcome: 'declined', reason: 'authentication_required', reference: intent.id };
  }

  /** Null only if Stripe cannot have it: it is neither among the recent ones nor in the search. */
  async #find(
    attemptId: string,
    reference: string | undefined,
    account: Stripe.RequestOptions,
  ): Promise<Stripe.PaymentIntent | null> {
    const options = { ...account, ...LOOKUP };
    if (reference !== undefined) return this.#stripe.paymentIntents.retrieve(reference, {}, options);

    const gte = Math.floor(Date.now() / 1000) - SEARCH_LAG_S;
    const recent = this.#stripe.paymentIntents.list({ created: { gte }, limit: 100 }, options);
    for await (const intent of bounded(recent)) if (intent.metadata['attemptId'] === attemptId) return intent;
    const query = `metadata['attemptId']:'${attemptId}'`;
    const { data } = await this.#stripe.paymentIntents.search({ query }, options);
    return data[0] ?? null;
  }

  async #lostDispute(
    payment_intent: string,
    account: Stripe.RequestOptions,
  ): Promise<Stripe.Dispute | undefined> {
    const { data } = await this.#stripe.disputes.list({ payment_intent }, { ...account, ...LOOKUP });
    return data.find(({ status }) => status === 'lost');
  }
}

type Settled = ProcessorResult<'succeeded' | 'declined' | 'pending'>;

function methodOf(source: PaymentSource): Stripe.PaymentMethodCreateParams {
  if (source.method === 'ACH') {
    const {
      accountType: account_type,
      holder,
      routingNumber: routing_number,
      accountNumber: account_number,
    } = source;
    return {
      type: 'us_bank_account',
      us_bank_account: { routing_number, account_number, account_type, account_holder_type: 'individual' },
      billing_details: { name: holder },
    };
  }
  const { cardNumber: number, securityCode: cvc, expiry, name, country, zipCode } = source;
  const [month, year] = expiry.split('/').map(Number);
  return {
    type: 'card',
    card: { number, cvc, exp_month: month ?? 0, exp_year: 2000 + (year ?? 0) },
    billing_details: { name, address: { country, ...(zipCode === '' ? {} : { postal_code: zipCode }) } },
  };
}

/** Whether the payer is present, and where a challenge returns the browser. */
function presenceOf({
  initiator,
  method,
  returnUrl,
}: ProcessorContext): Partial<Stripe.PaymentIntentCreateParams> {
  if (initiator === 'merchant') return { off_session: true };
  // The payer may save the method, and AutoPay may charge it later.
  const later = { setup_future_usage: 'off_session' } as const;
  if (method === 'ACH') return later;
  return {
    ...later,
    ...(returnUrl === undefined ? { error_on_requires_action: true } : { return_url: returnUrl }),
  };
}

/** The authorization that the payer agreed to, as Stripe's mandate. */
function mandateOf({ authorization, payer }: ProcessorContext): Partial<Stripe.PaymentIntentCreateParams> {
  if (authorization === undefined) return {};

  const accepted_at = Math.floor(Date.parse(authorization.at) / 1000);
  const { ip, userAgent } = payer ?? {};
  if (ip === undefined || userAgent === undefined)
    return { mandate_data: { customer_acceptance: { type: 'offline', accepted_at, offline: {} } } };

  const online = { ip_address: ip, user_agent: userAgent };
  return { mandate_data: { customer_acceptance: { type: 'online', accepted_at, online } } };
}

/** Returns null while there is no outcome. */
function outcomeOf(
  intent: Stripe.PaymentIntent,
): ProcessorResult<'succeeded' | 'declined' | 'pending'> | null {
  const { id: reference, status, amount, amount_received, currency } = intent;
  if (status === 'succeeded') return { outcome: 'succeeded', reference, amount: amount_received, currency };
  if (status === 'processing') return { outcome: 'pending', reference, amount, currency };

  // Without an error, the confirmation is still running.
  const hasFailed = status === 'requires_payment_method' && intent.last_payment_error !== null;
  return hasFailed || status === 'canceled' ? declinedBy(intent) : null;
}

/**
 * Stripe reports returns of settled bank payments as lost disputes. The bank may take back only part of a payment, which the
 * service leaves to a person.
 */
function returnedBy(
  { reason, amount, currency }: Stripe.Dispute,
  reference: string,
): ProcessorResult<'returned'> {
  return { outcome: 'returned', reason: reasonOf(reason), reference, amount, currency };
}

function declinedBy({
  id,
  amount,
  currency,
  last_payment_error: error,
  cancellation_reason: canceled,
}: Stripe.PaymentIntent): ProcessorResult<'declined'> {
  const code = error?.decline_code ?? error?.code ?? canceled ?? undefined;
  return {
    outcome: 'declined',
    reference: id,
    amount,
    currency,
    ...(code === undefined ? {} : { reason: reasonOf(code) }),
  };
}

const reasonOf = (code: string): string => RETURN_CODES.get(code) ?? code;

/** Nacha's return codes, by which the service blocks accounts. Disputes have reasons of their own. */
const RETURN_CODES: ReadonlyMap<string, string> = new Map([
  ['account_closed', 'R02'],
  ['no_account', 'R03'],
  ['incorrect_account_details', 'R04'],
  ['debit_not_authorized', 'R10'],
  ['bank_account_restricted', 'R16'],
]);

const REFUNDS: ReadonlyMap<string, RefundOutcome> = new Map([
  ['succeeded', 'succeeded'],
  ['pending', 'pending'],
  ['requires_action', 'pending'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
]);

function refundOf({
  id: reference,
  status,
  failure_reason: reason,
  amount,
  currency,
}: Stripe.Refund): ProcessorResult<RefundOutcome> {
  const outcome = REFUNDS.get(status ?? '');
  if (outcome === undefined) throw new Error('The refund has an unknown status');
  return { outcome, reference, amount, currency, ...(reason ? { reason } : {}) };
}

/** Permanent refusals of a refund. */
const NOT_REFUNDABLE: ReadonlySet<string> = new Set([
  'charge_already_refunded',
  'charge_disputed',
  'refund_disputed_payment',
]);

const BRANDS: ReadonlyMap<string, string> = new Map([
  ['visa', 'Visa'],
  ['mastercard', 'Mastercard'],
  ['amex', 'American Express'],
  ['discover', 'Discover'],
]);

/** The payer's field, by Stripe's code. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['incorrect_number', 'cardNumber'],
  ['invalid_number', 'cardNumber'],
  ['expired_card', 'expiry'],
  ['invalid_expiry_month', 'expiry'],
  ['invalid_expiry_year', 'expiry'],
  ['incorrect_cvc', 'securityCode'],
  ['invalid_cvc', 'securityCode'],
  ['routing_number_invalid', 'routingNumber'],
  ['account_number_invalid', 'accountNumber'],
]);

/** Stripe's messages of card errors are written for payers. */
function refusalOf(error: unknown): Error | null {
  if (!(error instanceof Stripe.errors.StripeError)) return null;
  const field = FIELDS.get(error.code ?? '');
  return error.type === 'StripeCardError' || field !== undefined ? sourceRefused(error.message, field) : null;
}

const sourceRefused = (message: string, field?: string): SourceRefused =>
  Object.assign(new Error(message), {
    code: 'source_refused' as const,
    ...(field === undefined ? {} : { field }),
  });

/** Stripe's errors contain the request, the response and client secrets. */
function withoutDetails(error: unknown): Error {
  if (!(error instanceof Stripe.errors.StripeError))
    return error instanceof Error ? error : new Error('Stripe was not reached');
  return Object.assign(new Error(`Stripe refused or did not respond (${error.type})`), {
    code: error.code ?? error.type,
  });
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`Set ${name}.`);
  return value;
}

const processor: PaymentProcessor = new StripeProcessor({
  stripe: boundedStripe(required('STRIPE_SECRET_KEY')),
  webhookSecrets: required('STRIPE_WEBHOOK_SECRETS')
    .split(',')
    .map((secret) => secret.trim()),
  accounts: JSON.parse(process.env['STRIPE_ACCOUNTS'] ?? '{}') as Record<string, string>,
});
export default processor;
