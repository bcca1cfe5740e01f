/** Actions on a running service that the inspector offers. */
import { randomUUID } from 'node:crypto';
import { API_KEY_HEADER, BACK_OFFICE_ENDPOINTS, EVENTS_ENDPOINT } from '@embedded-sessions/server-types';
import { openapi } from '@embedded-sessions/server-types/schemas';
import type { Deps } from '../../deps.js';
import { enableWebhooks, resendWebhook } from '../../webhooks/queue.js';
import { TEST_ACCOUNTS, TEST_CARDS } from '../../processor/test-processor.js';
import type { Form, Json, PaySource, Sent, TestSource } from '../../shared/inspector.js';
import { ConnectionDropped } from '../../platform/faults.js';
import type { Control } from '../control.js';
import { createPayAsPage, type Fetch } from '../pay.js';
import type { Kept } from './journal.js';
import type { Redaction } from './redaction.js';

export interface Actions {
  /** Calls the API with the inspector's own key. */
  send(path: string, body: Json, idempotencyKey?: string): Promise<Sent>;
  /** Sends a request again, byte for byte: an idempotency key is only valid with the same body. */
  again(path: string, original: NonNullable<Kept['original']>, idempotencyKey?: string): Promise<Sent>;
  cancel(sessionId: string): Promise<Sent>;
  refund(sessionId: string, paymentId: string, amount?: number): Promise<Sent>;
  pay(sessionId: string, method: PaySource['method'], number: string): Promise<Sent>;
  /** The session URL with its secret. Never log it. */
  address(sessionId: string): Promise<string | null>;
  expire(sessionId: string): Promise<Sent>;
  resend(webhookId: string): Promise<Sent>;
  enable(businessUnit: string): Promise<Sent>;
  forms(): Form[];
}

export function createActions(
  deps: Deps,
  control: Control,
  fetch: Fetch,
  apiKey: string,
  redact: Redaction,
): Actions {
  const { env, store, clock, secrets, publicUrl } = deps;
  const payAsPage = createPayAsPage(deps, fetch);
  const find = (id: string) => store.read((tx) => tx.sessions.get(id));
  const unknown: Sent = { ok: false, status: 404, message: 'There is no such session.' };

  const actions: Actions = {
    send: (path, body, idempotencyKey) =>
      actions.again(path, { body: JSON.stringify(body), apiKey }, idempotencyKey),
    again: async (path, { body, apiKey }, idempotencyKey) => {
      const request = new Request(publicUrl + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === null ? {} : { [API_KEY_HEADER]: apiKey }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        body,
      });
      const response = await orDropped(fetch(request));
      if (response === null) return DROPPED;

      const { status } = response;
      const requestId = response.headers.get('x-request-id');
      const answer = (await response.json().catch(() => null)) as Json;
      const { errors, data } = (answer ?? {}) as {
        errors?: { message: string }[];
        data?: { PaymentSessionIdentifier?: string } | null;
      };
      const message = errors?.map(({ message }) => message).join(' ') ?? '';
      const sessionId = data?.PaymentSessionIdentifier;
      return {
        ok: status === 200,
        status,
        answer: redact.body(answer, 'api'),
        ...(message === '' ? {} : { message: redact.text(message) }),
        ...(requestId === null ? {} : { requestId }),
        ...(sessionId === undefined ? {} : { sessionId }),
      };
    },
    cancel: async (id) => {
      const session = await find(id);
      if (!session) return unknown;
      const body = { BusinessUnitSlug: session.businessUnit, PaymentSessionIdentifier: id };
      return actions.send(BACK_OFFICE_ENDPOINTS.cancel, body);
    },
    refund: async (id, paymentId, amount) => {
      const session = await find(id);
      if (!session) return unknown;
      const part = amount === undefined ? {} : { Amount: amount };
      const body = { BusinessUnitSlug: session.businessUnit, PaymentIdentifier: paymentId, ...part };
      return actions.send(BACK_OFFICE_ENDPOINTS.refund, body, randomUUID());
    },
    pay: async (id, method, number) => {
      const paid = await orDropped(payAsPage(id, number, method));
      if (paid === null) return DROPPED;

      const { status, answer } = paid;
      const message = answer.ok ? `The payment is ${answer.data.status}.` : (answer.errors[0]?.message ?? '');
      return {
        ok: answer.ok,
        status,
        answer: redact.body(answer, 'page'),
        ...(message === '' ? {} : { message: redact.text(message) }),
      };
    },
    address: async (id) => {
      const session = await find(id);
      return session && `${publicUrl}/s/${id}#${secrets.derive(session.secretKeyId, id)}`;
    },
    expire: async (id) => {
      const session = await find(id);
      if (!session) return unknown;
      await control.advance(Math.max(0, session.expiresAt - clock.now()));
      return { ok: true, status: 200, message: 'The clock was moved to the end of this session.' };
    },
    resend: async (webhookId) => {
      const message = await store.read((tx) => tx.outbox.get(webhookId));
      if (!message) return { ok: false, status: 404, message: 'There is no such message.' };
      await store.transaction((tx) => resendWebhook(tx, message.businessUnit, webhookId, clock.now()));
      return { ok: true, status: 200 };
    },
    enable: async (businessUnit) => {
      const { urls } = await store.transaction((tx) => enableWebhooks(tx, businessUnit));
      return {
        ok: true,
        status: 200,
        message:
          urls.length === 0
            ? 'Nothing was disabled.'
            : `${urls.map(redact.address).join(', ')} is enabled again.`,
      };
    },
    forms: () => {
      return Object.entries(openapi().paths).flatMap(([path, item]): Form[] => {
        const operation = (item as { post?: Operation }).post;
        const content = operation?.requestBody?.content['application/json'];
        // In development the service only has the Events API.
        if (!operation || !content || (env === 'development' && path !== EVENTS_ENDPOINT)) return [];

        const example = content.example ?? Object.values(content.examples ?? {})[0]?.value ?? {};
        return [{ path, title: operation.summary ?? path, example }];
      });
    },
  };
  return actions;
}

const DROPPED: Sent = { ok: false, status: 0, message: 'No response: the connection was dropped.' };

/** Null if a fault dropped the connection. */
async function orDropped<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ConnectionDropped) return null;
    throw error;
  }
}

type Example = Form['example'];

interface Operation {
  summary?: string;
  requestBody?: {
    content: Record<string, { example?: Example; examples?: Record<string, { value: Example }> }>;
  };
}

/** Test sources to pay with. The page never receives the numbers. */
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
