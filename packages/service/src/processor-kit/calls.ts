/** Calls a processor module like the service does, and inspects all responses and errors. */
import { defined } from '../core/defined.js';
import { inspect, isDeepStrictEqual } from 'node:util';
import { withTimeout } from '../platform/timeouts.js';
import {
  numberOf,
  readAction,
  readCharge,
  readLookup,
  readRefund,
  readToken,
} from '../processor/rules/response.js';
import { containsNumber } from '../processor/rules/typed-number.js';
import {
  FORGET_MS,
  processorContext,
  type ChargeOutcome,
  type LookupOutcome,
  type PaymentProcessor,
  type PaymentSource,
  type ProcessorContext,
  type RefundOutcome,
  type ProcessorResult,
  type RequiresAction,
  type Tokenized,
} from '../processor/rules/port.js';
import type { ProcessorCheckOptions } from './options.js';

/** The service's timeout for each method, real ms. */
const LIMITS_MS = {
  tokenize: 15_000,
  charge: 60_000,
  lookup: 8_000,
  cancel: 8_000,
  refund: 60_000,
  receive: 10_000,
  forget: FORGET_MS,
  updateExpiry: 15_000,
};

/** Where finished challenges send their frame. */
export const RETURN_URL = 'https://pay.example/s/check/returned';

export interface Token extends Tokenized {
  readonly method: PaymentSource['method'];
}

export type Charged = ProcessorResult<ChargeOutcome>;
export type LookedUp = ProcessorResult<LookupOutcome>;
export type Refunded = ProcessorResult<RefundOutcome>;

export class Calls {
  readonly #processors: PaymentProcessor[];
  readonly #options: ProcessorCheckOptions;
  readonly leaks: Set<string> = new Set();
  readonly #secrets: readonly IsSecret[];
  /** Results of charges, by `attemptId` and by `reference`. */
  readonly charged: Map<string, Charged> = new Map();
  /** All numbers and codes typed so far. */
  readonly #typed: IsSecret[] = [];
  /** When the payer authorized bank payments. Fixed, because a repeated charge must be the same request. */
  readonly #authorizedAt = new Date().toISOString();

  constructor(processor: PaymentProcessor, options: ProcessorCheckOptions) {
    this.#processors = [processor, ...(options.others ?? [])];
    this.#options = options;
    this.#secrets = (options.secrets ?? []).map((secret) => (text) => text.includes(secret));
  }

  get #processor(): PaymentProcessor {
    const next = this.#processors.shift() as PaymentProcessor;
    this.#processors.push(next);
    return next;
  }

  async tokenize(source: PaymentSource): Promise<Token> {
    // A refusal may mention other test cards, but not this one.
    const typed = secretsOf(source);
    this.#typed.push(...typed);
    const ask = () => this.#processor.tokenize(source, this.#context(source.method));
    const made = await this.#call('tokenize', ask, typed);
    if (readToken(made, source) === null) throw new Error('tokenize resolved what the service does not keep');
    return { ...made, method: source.method };
  }

  async charge(attemptId: string, token: Token, amount: number): Promise<Charged> {
    const context = this.#context(token.method);
    const answer = await this.#call('charge', () =>
      this.#processor.charge({ attemptId, token: token.token, amount, context }),
    );
    const charged = valid('charge', readCharge(answer, amount), answer);
    for (const id of [attemptId, charged.reference]) if (id !== undefined) this.charged.set(id, charged);
    return charged;
  }

  /** Charges or looks up while the payer is present. Resolves to null if no challenge is required. */
  async challenge(
    name: 'charge' | 'lookup',
    attemptId: string,
    token: Token,
    amount: number,
  ): Promise<RequiresAction | null> {
    const context = { ...this.#context(token.method), returnUrl: RETURN_URL };
    const processor = this.#processor;
    const ask = (): Promise<unknown> =>
      name === 'charge'
        ? processor.charge({ attemptId, token: token.token, amount, context })
        : processor.lookup(attemptId, context);
    return readAction(await this.#call(name, ask));
  }

  async lookup(attemptId: string, token: Token, reference?: string): Promise<LookedUp> {
    const context = defined({ ...this.#context(token.method), reference });
    const answer = await this.#call('lookup', () => this.#processor.lookup(attemptId, context));
    return valid('lookup', readLookup(answer), answer);
  }

  async cancel(attemptId: string, token: Token, reference?: string): Promise<LookedUp> {
    const context = defined({ ...this.#context(token.method), returnUrl: RETURN_URL, reference });
    const answer = await this.#call('cancel', async () => this.#processor.cancel?.(attemptId, context));
    return valid('cancel', readLookup(answer), answer);
  }

  async forget({ token, method }: Pick<Token, 'token' | 'method'>): Promise<void> {
    await this.#call('forget', async () => this.#processor.forget?.(token, this.#context(method)));
  }

  async updateExpiry({ token, method }: Pick<Token, 'token' | 'method'>, expiry: string): Promise<void> {
    const ask = async () => this.#processor.updateExpiry?.(token, expiry, this.#context(method));
    await this.#call('updateExpiry', ask);
  }

  async refund(refundId: string, attemptId: string, amount: number, reference?: string): Promise<Refunded> {
    const context = defined({ ...this.#context('Credit Card'), reference });
    const answer = await this.#call('refund', async () =>
      this.#processor.refund?.({ refundId, attemptId, amount, context }),
    );
    return valid('refund', readRefund(answer, amount), answer);
  }

  /** Resolves to the unparsed result of `receive`. */
  receive(headers: Headers, body: Uint8Array): Promise<unknown> {
    return this.#call('receive', async () => this.#processor.receive?.({ headers, body }));
  }

  #context(method: PaymentSource['method']): ProcessorContext {
    const { context = {} } = this.#options;
    return {
      ...processorContext({
        businessUnit: 'check',
        descriptor: 'Check',
        method,
        environment: 'staging',
        channel: 'QuickPay',
        initiator: 'payer',
        purpose: 'charge',
        email: 'ada@example.com',
        device: { ip: '203.0.113.7', userAgent: 'check' },
      }),
      ...(method === 'ACH'
        ? { authorization: { text: 'I authorize this debit.', at: this.#authorizedAt } }
        : {}),
      ...context,
    };
  }

  async #call<T>(
    name: keyof typeof LIMITS_MS,
    work: () => Promise<T>,
    typed: readonly IsSecret[] = this.#typed,
  ): Promise<T> {
    const inspect = (where: string, value: unknown): void => {
      const text = textOf(value);
      if ([...this.#secrets, ...typed].some((isSecret) => isSecret(text))) this.leaks.add(where);
    };
    let answer: T;
    try {
      // Operators' modules might throw instead of rejecting.
      answer = await withTimeout(Promise.resolve().then(work), LIMITS_MS[name], 'no_answer_in_time');
    } catch (error) {
      inspect(`an error of ${name}`, error);
      throw new Error(`${name} rejected (${error instanceof Error ? error.name : 'not with an Error'})`, {
        cause: error,
      });
    }
    inspect(`an answer of ${name}`, answer);
    return answer;
  }
}

type IsSecret = (text: string) => boolean;

function valid<T>(name: string, answer: T | null, given: unknown): T {
  if (readAction(given))
    throw new Error(`${name} requires the payer: check with a card that has no challenge`);
  if (answer === null) {
    const outcome: unknown = typeof given === 'string' ? given : Object(given).outcome;
    const shown = typeof outcome === 'string' && /^[a-z_]{1,30}$/i.test(outcome) ? ` "${outcome}"` : '';
    throw new Error(`${name} returned an outcome${shown} or amount that it cannot have`);
  }
  return answer;
}

function secretsOf(source: PaymentSource): IsSecret[] {
  const hasNumber: IsSecret = (text) => containsNumber(text, numberOf(source));
  if (source.method === 'ACH') return [hasNumber];
  // Three digits are a secret only on their own.
  const code = new RegExp(`\\b${source.securityCode}\\b`);
  return [hasNumber, (text) => code.test(text)];
}

/** Without stacks, because a line number may equal a security code. */
function textOf(value: unknown): string {
  const text = inspect(value, { depth: 6, maxArrayLength: null, maxStringLength: null });
  return text.replaceAll(/^ +at .*$/gm, '');
}

export function agree(answers: readonly ProcessorResult<string>[]): boolean {
  const [first] = answers;
  return answers.every(
    ({ outcome, reference }) =>
      first !== undefined && isDeepStrictEqual([outcome, reference], [first.outcome, first.reference]),
  );
}
