import { randomUUID } from 'node:crypto';
import { API_KEY_HEADER, BACK_OFFICE_ENDPOINTS, EVENTS_ENDPOINT } from '@embedded-sessions/server-types';
import { openapi } from '@embedded-sessions/server-types/schemas';
import { defined } from '../../core/defined.js';
import type { Deps } from '../../deps.js';
import type { Session } from '../../sessions/rules/session.js';
import { enableWebhooks, resendWebhook } from '../../webhooks/queue.js';
import { TEST_ACCOUNTS, TEST_CARDS } from '../../processor/test-processor.js';
import type { ServiceEnvironment } from '../../shared/environment.js';
import type { Form, Json, PaySource, Sent, TestSource } from '../../shared/inspector.js';
import { ConnectionDropped } from '../../platform/faults.js';
import type { Control } from '../control.js';
import { payAsPage, type Fetch } from '../pay.js';
import type { Redaction } from './redaction.js';

interface ActionParts {
  readonly deps: Deps;
  readonly control: Control;
  readonly fetch: Fetch;
  /** The inspector's own. */
  readonly apiKey: string;
  readonly redact: Redaction;
}

export class Actions {
  readonly #parts: ActionParts;

  constructor(parts: ActionParts) {
    this.#parts = parts;
  }

  async send(path: string, body: Json, idempotencyKey?: string): Promise<Sent> {
    const { deps, apiKey, fetch } = this.#parts;
    const headers = defined({
      'content-type': 'application/json',
      [API_KEY_HEADER]: apiKey,
      'idempotency-key': idempotencyKey,
    });
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await nullIfDropped(fetch(new Request(deps.publicUrl + path, init)));
    if (response === null) return DROPPED;

    const { status } = response;
    const requestId = response.headers.get('x-request-id');
    const answer = (await response.json().catch(() => null)) as Json;
    const { errors, data } = (answer ?? {}) as {
      errors?: { message: string }[];
      data?: { PaymentSessionIdentifier?: string } | null;
    };
    const message = errors?.map(({ message }) => message).join(' ') ?? '';
    return defined({
      ok: status === 200,
      status,
      answer: this.#parts.redact.body(answer),
      message: this.#parts.redact.text(message) || undefined,
      requestId: requestId ?? undefined,
      sessionId: data?.PaymentSessionIdentifier,
    });
  }

  async cancel(sessionId: string): Promise<Sent> {
    const session = await this.#find(sessionId);
    if (!session) return UNKNOWN;
    const body = { BusinessUnitSlug: session.businessUnit, PaymentSessionIdentifier: sessionId };
    return this.send(BACK_OFFICE_ENDPOINTS.cancel, body);
  }

  async refund(sessionId: string, paymentId: string, amount?: number): Promise<Sent> {
    const session = await this.#find(sessionId);
    if (!session) return UNKNOWN;
    const { businessUnit: BusinessUnitSlug } = session;
    const body = defined({ BusinessUnitSlug, PaymentIdentifier: paymentId, Amount: amount });
    return this.send(BACK_OFFICE_ENDPOINTS.refund, body, randomUUID());
  }

  async pay(sessionId: string, method: PaySource['method'], number: string): Promise<Sent> {
    const paid = await nullIfDropped(
      payAsPage(this.#parts.deps, this.#parts.fetch, sessionId, number, method),
    );
    if (paid === null) return DROPPED;

    const { status, answer } = paid;
    const message = answer.ok ? `The payment is ${answer.data.status}.` : (answer.errors[0]?.message ?? '');
    return defined({ ok: answer.ok, status, message: this.#parts.redact.text(message) || undefined });
  }

  /** The session URL with its secret. Never log it. */
  async address(sessionId: string): Promise<string | null> {
    const { publicUrl, secrets } = this.#parts.deps;
    const session = await this.#find(sessionId);
    return session && `${publicUrl}/s/${sessionId}#${secrets.derive(session.secretKeyId, sessionId)}`;
  }

  async expire(sessionId: string): Promise<Sent> {
    const session = await this.#find(sessionId);
    if (!session) return UNKNOWN;
    await this.#parts.control.advance(Math.max(0, session.expiresAt - this.#parts.deps.clock.now()));
    return { ok: true, status: 200, message: 'The clock was moved to the end of this session.' };
  }

  async resend(webhookId: string): Promise<Sent> {
    const { store, clock } = this.#parts.deps;
    const message = await store.read((tx) => tx.outbox.get(webhookId));
    if (!message) return { ok: false, status: 404, message: 'There is no such message.' };
    await store.transaction((tx) => resendWebhook(tx, message.businessUnit, webhookId, clock.now()));
    return { ok: true, status: 200 };
  }

  async enable(businessUnit: string): Promise<Sent> {
    const urls = await this.#parts.deps.store.transaction((tx) => enableWebhooks(tx, businessUnit));
    const enabled = `${urls.map(this.#parts.redact.url).join(', ')} is enabled again.`;
    return { ok: true, status: 200, message: urls.length === 0 ? 'Nothing was disabled.' : enabled };
  }

  #find(sessionId: string): Promise<Session | null> {
    return this.#parts.deps.store.read((tx) => tx.sessions.get(sessionId));
  }
}

export function formsOf(env: ServiceEnvironment): Form[] {
  return Object.entries(openapi().paths).flatMap(([path, item]): Form[] => {
    const operation = (item as { post?: Operation }).post;
    const content = operation?.requestBody?.content['application/json'];
    // In development the service only has the Events API.
    if (!operation || !content || (env === 'development' && path !== EVENTS_ENDPOINT)) return [];

    return [{ path, title: operation.summary ?? path, example: content.example }];
  });
}

const UNKNOWN: Sent = { ok: false, status: 404, message: 'There is no such session.' };
const DROPPED: Sent = { ok: false, status: 0, message: 'No response: the connection was dropped.' };

/** Resolves to null if a fault dropped the connection. */
async function nullIfDropped<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ConnectionDropped) return null;
    throw error;
  }
}

interface Operation {
  summary?: string;
  requestBody?: { content: Record<string, Pick<Form, 'example'>> };
}

/** Test cards and accounts. The page never receives the numbers. */
export const TEST_SOURCES: Readonly<
  Record<PaySource['method'], readonly (TestSource & { readonly number: string })[]>
> = { 'Credit Card': listed(TEST_CARDS), ACH: listed(TEST_ACCOUNTS) };

function listed(sources: Readonly<Record<string, string>>): (TestSource & { number: string })[] {
  return Object.entries(sources).map(([number, does]) => ({
    number,
    last4: number.slice(-4),
    does: does.replace(/^(card|bank)-/, '').replaceAll('-', ' '),
  }));
}
