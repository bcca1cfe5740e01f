/** The OpenAPI 3.1 document of the service, generated from the schemas. */
import { z } from 'zod';
import './response-schemas.js';
import './event-schemas.js';
import './session-schemas.js';
import { BACK_OFFICE_ENDPOINTS, type BackOfficeCall } from './back-office.js';
import './back-office-schemas.js';
import {
  API_KEY_HEADER,
  EVENTS_ENDPOINT,
  FLOWS,
  QUERY_ENDPOINT,
  SESSION_ENVIRONMENT_HEADER,
  SESSION_EXPIRES_IN_HEADER,
  IDEMPOTENCY_KEY_MAX_LENGTH,
} from './flows.js';
import { errorPage } from './error-status.js';
import type { Flow } from './session.js';
import { type Example, examples, webhookExample } from './openapi-examples.js';
import { refusals, responses } from './openapi-refusals.js';
import { registry } from './values.js';

/** Set by the build. */
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
  const zodKeys = new Set(['$schema', '$id', 'id']);
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [
      id,
      Object.fromEntries(Object.entries(schema).filter(([key]) => !zodKeys.has(key))),
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
  description: string;
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
    description: operation.description,
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
        description: 'Success. Check hasErrors before you read data.',
        ...(operation.headers && { headers: operation.headers }),
        content: {
          'application/json': {
            schema: success(operation.data),
            example: { hasErrors: false, errors: [], data: operation.example.response },
          },
        },
      },
      ...Object.fromEntries(
        Object.entries(refusals).map(([status, [name]]) => [status, ref('responses', name)]),
      ),
    },
  },
});

const SESSIONS: Readonly<Record<Flow, Pick<Operation, 'operationId' | 'summary' | 'description' | 'body'>>> =
  {
    payment: {
      operationId: 'createPaymentSession',
      summary: 'Start a payment session',
      description:
        'Syncs the accounts and the customer, and returns the session URL, which works for 30 minutes. Amounts are integer cents.',
      body: 'PaymentSessionRequest',
    },
    autopay: {
      operationId: 'createAutopaySession',
      summary: 'Start a session to manage AutoPay for an account',
      description: 'The customer turns AutoPay on or off, or changes its method. Expires after 60 minutes.',
      body: 'AccountSessionRequest',
    },
    wallet: {
      operationId: 'createWalletSession',
      summary: "Start a session to manage a customer's payment methods",
      description:
        'The customer adds, views and deletes saved methods. Expires after 60 minutes. Uses no account.',
      body: 'CustomerSessionRequest',
    },
    paperless: {
      operationId: 'createPaperlessSession',
      summary: 'Start a session to manage paperless billing for an account',
      description: 'The customer turns paperless billing on or off. Expires after 60 minutes.',
      body: 'AccountSessionRequest',
    },
    'schedule-payment': {
      operationId: 'createSchedulePaymentSession',
      summary: 'Start a session to schedule one payment for an account',
      description: 'The customer chooses a day, from tomorrow to a year ahead. Expires after 60 minutes.',
      body: 'AccountSessionRequest',
    },
    'scheduled-payments': {
      operationId: 'createScheduledPaymentsSession',
      summary: "Start a session to manage an account's scheduled payments",
      description: 'The customer views and cancels scheduled payments. Expires after 60 minutes.',
      body: 'AccountSessionRequest',
    },
    notifications: {
      operationId: 'createNotificationsSession',
      summary: "Start a session to manage a customer's notifications",
      description: 'The customer sets e-mail and SMS preferences. Expires after 60 minutes. Uses no account.',
      body: 'CustomerSessionRequest',
    },
  };

const BACK_OFFICE: Readonly<Record<BackOfficeCall, Omit<Operation, 'data' | 'example'> & { data: string }>> =
  {
    refund: {
      operationId: 'refundPayment',
      tag: 'Payments',
      summary: 'Refund a payment, in whole or in part',
      description: 'Without an amount, refunds the remaining balance. Amounts are integer cents.',
      body: 'RefundRequest',
      data: 'Refund',
      idempotent: true,
    },
    list: {
      operationId: 'listPayments',
      tag: 'Payments',
      summary: 'List payments, one page',
      description: 'Oldest first. Send `NextCursor` as `Cursor` to get the next page.',
      body: 'ListRequest',
      data: 'PaymentList',
      idempotent: false,
    },
    cancel: {
      operationId: 'cancelSession',
      tag: 'Sessions',
      summary: 'Cancel an open session',
      description:
        'The session can no longer be paid, and its page says so. Refused if a payment is in flight or done.',
      body: 'CancelRequest',
      data: 'CanceledSession',
      idempotent: true,
    },
    charge: {
      operationId: 'chargeAutopay',
      tag: 'Payments',
      summary: "Charge an account's AutoPay method",
      description:
        'The result may be pending; webhooks report it, as for any payment. `ChargeOn` schedules the charge for a day.',
      body: 'AutopayChargeRequest',
      data: 'AutopayCharge',
      idempotent: true,
    },
    cancelPayment: {
      operationId: 'cancelPayment',
      tag: 'Payments',
      summary: 'Cancel a scheduled payment',
      description:
        'Cancels an AutoPay charge with `ChargeOn`, or a payment that a payer has scheduled. Refused from its day, in the time zone of the business unit.',
      body: 'CancelPaymentRequest',
      data: 'CanceledPayment',
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
              'Seconds until the session expires; fewer if an Idempotency-Key replays the response.',
            schema: { type: 'integer', minimum: 0 },
          },
          [SESSION_ENVIRONMENT_HEADER]: {
            description: 'Environment of the session. Only the SDK of the same environment opens it.',
            schema: { enum: ['staging', 'production'] },
          },
        },
      }),
    ]),
  ),
  [QUERY_ENDPOINT]: post({
    operationId: 'retrieveSession',
    tag: 'Sessions',
    summary: 'Get the state of a session',
    description:
      'Use it to confirm a payment on the backend: the page alone is no proof. Contains no link and no secret.',
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
    summary: 'Push a change to a customer account',
    description: 'The payload is a JSON string. Send the events of one account in order.',
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
      summary: 'Webhook to the merchant, signed as in Standard Webhooks',
      description: 'Delivered at least once. Repeats have the same webhook-id.',
      security: [],
      parameters: [
        webhookHeader('webhook-id', 'The same across retries.'),
        webhookHeader('webhook-timestamp', 'Seconds since 1970.'),
        webhookHeader('webhook-signature', 'v1,<base64>, one per secret, separated by spaces.'),
        webhookHeader('traceparent', 'Trace of the request that caused the event, if it had one.', false),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: ref('schemas', 'WebhookEvent'), example: webhookExample },
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
 * Returns the OpenAPI 3.1 document of this project's service. `./openapi.json` is the same with a placeholder server.
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
        'query, cancellations, lists, refunds, AutoPay charges and webhooks are specific to this implementation: the contract does not define them.',
      contact: { name: 'Embedded Sessions', url: 'https://github.com/embedded-sessions/embedded-sessions' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: options.servers ?? [{ url: 'https://service.invalid', description: 'Your API base URL' }],
    externalDocs: {
      description: 'Every error code: its meaning, whether to retry, and how to fix it',
      url: errorPage('service'),
    },
    tags: [
      { name: 'Events', description: 'Changes to customer accounts.' },
      { name: 'Payments', description: 'Refunds, lists and AutoPay charges.' },
      { name: 'Sessions', description: 'Sessions that the SDK opens.' },
      { name: 'Webhooks', description: 'Notifications to the merchant.' },
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
          description: 'Sending the same key and body again within 24 hours returns the same response.',
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
