/** The OpenAPI 3.1 document of the service, generated from the schemas. */
import { z } from 'zod';
import './answer-schemas.js';
import './event-schemas.js';
import './session-schemas.js';
import type { BackOfficeCall } from './back-office.js';
import './back-office-schemas.js';
import {
  API_KEY_HEADER,
  BACK_OFFICE_ENDPOINTS,
  EVENTS_ENDPOINT,
  FLOWS,
  QUERY_ENDPOINT,
  SESSION_ENVIRONMENT_HEADER,
  SESSION_EXPIRES_IN_HEADER,
  IDEMPOTENCY_KEY_MAX_LENGTH,
} from './flows.js';
import { errorPage } from './error-pages.js';
import type { Flow } from './session.js';
import { type Example, examples } from './openapi-examples.js';
import { refusals, responses } from './openapi-refusals.js';
import { registry } from './values.js';

/** What the build puts in; the sources are of no version. */
declare const PACKAGE_VERSION: string | undefined;
const VERSION = typeof PACKAGE_VERSION === 'string' ? PACKAGE_VERSION : '0.0.0-source';

type Json = { [key: string]: unknown };

/** An OpenAPI 3.1 document. */
export interface OpenapiDocument {
  openapi: '3.1.1';
  info: Json;
  servers: { url: string; description?: string }[];
  externalDocs: Json;
  tags: Json[];
  security: Json[];
  paths: Record<string, Json>;
  webhooks: Record<string, Json>;
  components: { schemas: Record<string, Json>; responses: Json; parameters: Json; securitySchemes: Json };
}

const ref = (kind: 'schemas' | 'responses' | 'parameters', name: string): Json => ({
  $ref: `#/components/${kind}/${name}`,
});

const componentSchemas = (): Record<string, Json> => {
  const { schemas } = z.toJSONSchema(registry, {
    metadata: registry,
    io: 'input',
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
  });
  const ownToZod = new Set(['$schema', '$id', 'id']);
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [
      id,
      Object.fromEntries(Object.entries(schema).filter(([key]) => !ownToZod.has(key))),
    ]),
  );
};

const success = (data: Json): Json => ({
  type: 'object',
  required: ['hasErrors', 'errors', 'data'],
  properties: {
    hasErrors: { const: false },
    errors: { type: 'array', maxItems: 0, items: ref('schemas', 'ErrorItem') },
    data,
  },
});

interface Operation {
  operationId: string;
  tag: string;
  summary: string;
  /** What the summary leaves out, as sentences. */
  says: string;
  body: string;
  data: Json;
  idempotent: boolean;
  headers?: Json;
  example: Example;
}

const post = (operation: Operation): Json => ({
  post: {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.says,
    ...(operation.idempotent ? { parameters: [ref('parameters', 'IdempotencyKey')] } : {}),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: ref('schemas', operation.body),
          example: operation.example.request,
        },
      },
    },
    responses: {
      200: {
        description: 'Done. Read hasErrors before data.',
        ...(operation.headers && { headers: operation.headers }),
        content: {
          'application/json': {
            schema: success(operation.data),
            example: { hasErrors: false, errors: [], data: operation.example.answer },
          },
        },
      },
      ...Object.fromEntries(
        Object.entries(refusals).map(([status, { name }]) => [status, ref('responses', name)]),
      ),
    },
  },
});

const SESSIONS: Readonly<Record<Flow, Pick<Operation, 'operationId' | 'summary' | 'says' | 'body'>>> = {
  payment: {
    operationId: 'createPaymentSession',
    summary: 'Start a payment session',
    says: 'Writes the accounts and the customer that it names, and answers the URL that the page opens for 30 minutes. Amounts are integer cents.',
    body: 'PaymentSessionRequest',
  },
  autopay: {
    operationId: 'createAutopaySession',
    summary: 'Start a session that manages AutoPay of an account',
    says: 'The customer turns AutoPay on or off, or changes its method. Lives 60 minutes.',
    body: 'AccountSessionRequest',
  },
  wallet: {
    operationId: 'createWalletSession',
    summary: 'Start a session that manages the payment methods of a customer',
    says: 'The customer adds, views and deletes saved methods. Lives 60 minutes; touches no account.',
    body: 'CustomerSessionRequest',
  },
  paperless: {
    operationId: 'createPaperlessSession',
    summary: 'Start a session that manages paperless billing of an account',
    says: 'The customer enrolls the account, or leaves. Lives 60 minutes.',
    body: 'AccountSessionRequest',
  },
  'schedule-payment': {
    operationId: 'createSchedulePaymentSession',
    summary: 'Start a session that schedules one payment of an account',
    says: 'The customer chooses a day, from tomorrow to a year ahead, UTC. Lives 60 minutes.',
    body: 'AccountSessionRequest',
  },
  'scheduled-payments': {
    operationId: 'createScheduledPaymentsSession',
    summary: 'Start a session that manages the scheduled payments of an account',
    says: 'The customer views what is scheduled, and cancels it. Lives 60 minutes.',
    body: 'AccountSessionRequest',
  },
  notifications: {
    operationId: 'createNotificationsSession',
    summary: 'Start a session that manages the notifications of a customer',
    says: 'The customer chooses e-mail and SMS. Lives 60 minutes; touches no account.',
    body: 'CustomerSessionRequest',
  },
};

const BACK_OFFICE: Readonly<Record<BackOfficeCall, Omit<Operation, 'data' | 'example'> & { data: string }>> =
  {
    refund: {
      operationId: 'refundPayment',
      tag: 'Payments',
      summary: 'Give a payment back, whole or in part',
      says: 'Without an amount it gives back what is left. Amounts are integer cents.',
      body: 'RefundRequest',
      data: 'Refund',
      idempotent: true,
    },
    list: {
      operationId: 'listPayments',
      tag: 'Payments',
      summary: 'List payments, one page',
      says: 'Oldest first; `NextCursor` asks for the page after it.',
      body: 'ListRequest',
      data: 'PaymentList',
      idempotent: false,
    },
    cancel: {
      operationId: 'cancelSession',
      tag: 'Sessions',
      summary: 'Cancel an open session',
      says: 'Nobody can pay it afterwards, and its page says so. One with a payment in flight or done is refused.',
      body: 'CancelRequest',
      data: 'CanceledSession',
      idempotent: true,
    },
    charge: {
      operationId: 'chargeAutopay',
      tag: 'Payments',
      summary: 'Charge the method that an account is enrolled with',
      says: 'The outcome may be pending; webhooks tell it as of any other payment.',
      body: 'AutopayChargeRequest',
      data: 'AutopayCharge',
      idempotent: true,
    },
  };

const paths = (): Record<string, Json> => ({
  ...Object.fromEntries(
    (Object.keys(SESSIONS) as Flow[]).map((flow) => [
      FLOWS[flow].endpoint,
      post({
        ...SESSIONS[flow],
        tag: 'Sessions',
        data: ref('schemas', flow === 'payment' ? 'PaymentSession' : 'ManagementSession'),
        idempotent: true,
        example: examples[flow],
        headers: {
          [SESSION_EXPIRES_IN_HEADER]: {
            description:
              'Seconds until the session expires; a repeated Idempotency-Key gives one that has lived.',
            schema: { type: 'integer', minimum: 0 },
          },
          [SESSION_ENVIRONMENT_HEADER]: {
            description: 'The environment that the session is of: it opens with the SDK of that one alone.',
            schema: { enum: ['staging', 'production'] },
          },
        },
      }),
    ]),
  ),
  [QUERY_ENDPOINT]: post({
    operationId: 'retrieveSession',
    tag: 'Sessions',
    summary: 'Tell the state of a session',
    says: 'What the backend confirms a payment by: the page that says so is no proof. Holds no link and no secret.',
    body: 'SessionQuery',
    data: ref('schemas', 'SessionDetails'),
    idempotent: false,
    example: examples.query,
  }),
  ...Object.fromEntries(
    (Object.keys(BACK_OFFICE) as BackOfficeCall[]).map((call) => [
      BACK_OFFICE_ENDPOINTS[call],
      post({ ...BACK_OFFICE[call], data: ref('schemas', BACK_OFFICE[call].data), example: examples[call] }),
    ]),
  ),
  [EVENTS_ENDPOINT]: post({
    operationId: 'pushEvent',
    tag: 'Events',
    summary: 'Push a change of a customer account',
    says: 'The payload is a string of JSON. Send the events of one account in their order.',
    body: 'EventRequest',
    data: { type: 'object', maxProperties: 0 },
    idempotent: true,
    example: examples.event,
  }),
});

const webhookHeader = (name: string, description: string, required = true): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});

const webhooks = (): Record<string, Json> => ({
  event: {
    post: {
      operationId: 'receiveEvent',
      tags: ['Webhooks'],
      summary: 'What the service tells the merchant, signed by Standard Webhooks',
      description: 'At least once: the same event has the same webhook-id.',
      security: [],
      parameters: [
        webhookHeader('webhook-id', 'The same across retries.'),
        webhookHeader('webhook-timestamp', 'Seconds since 1970.'),
        webhookHeader('webhook-signature', 'v1,<base64>, one per secret, separated by spaces.'),
        webhookHeader('traceparent', 'Of the request in which it happened, where that had one.', false),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: ref('schemas', 'WebhookEvent'), example: examples.webhook },
        },
      },
      responses: {
        '2XX': { description: 'Received.' },
        410: { description: 'Stop sending to this address.' },
      },
    },
  },
});

/**
 * The OpenAPI 3.1 document of this project's service; `./openapi.json` is this very document with a placeholder server.
 *
 * @example
 * app.get('/openapi.json', () => Response.json(openapi({ servers: [{ url: 'https://pay.example.com' }] })));
 */
export function openapi(
  options: { servers?: OpenapiDocument['servers']; version?: string } = {},
): OpenapiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Embedded Sessions and Account Events',
      version: options.version ?? VERSION,
      summary: 'Create hosted payment and account sessions; push account events.',
      description:
        'Called from a merchant backend only, never from a browser. Statuses, error items, the Idempotency-Key, the ' +
        "query, canceling, lists, refunds, AutoPay charges and webhooks are this implementation's own: the contract does not show them.",
      contact: { name: 'Embedded Sessions', url: 'https://github.com/embedded-sessions/embedded-sessions' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: options.servers ?? [{ url: 'https://service.invalid', description: 'Your API base URL' }],
    externalDocs: {
      description: 'Every code: meaning, whether to retry, what to do',
      url: errorPage('service'),
    },
    tags: [
      { name: 'Events', description: 'Changes that the merchant tells.' },
      { name: 'Payments', description: 'Refunds, lists and AutoPay charges.' },
      { name: 'Sessions', description: 'Sessions that the SDK opens.' },
      { name: 'Webhooks', description: 'What the service tells the merchant.' },
    ],
    security: [{ apiKey: [] }],
    paths: paths(),
    webhooks: webhooks(),
    components: {
      schemas: componentSchemas(),
      responses: responses(),
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'The same key and body within 24 hours give the same answer again.',
          schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_LENGTH },
        },
      },
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: API_KEY_HEADER,
          description: 'Issued by the operator, one per environment; for the backend only.',
        },
      },
    },
  };
}
