import { createConfig, lintFromString } from '@redocly/openapi-core';
import Spectral from '@stoplight/spectral-core';
import type { RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { BACK_OFFICE_ENDPOINTS } from './back-office.js';
import { EVENTS_ENDPOINT, FLOWS, QUERY_ENDPOINT } from './flows.js';
import { openapi, paymentSessionRequestSchema, readRequest } from './schemas.js';

const document = openapi();
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi');
const validates = (component: string, value: unknown): boolean =>
  ajv.validate({ $ref: `openapi#/components/schemas/${component}` }, value);

describe('the OpenAPI document', () => {
  it('passes the Redocly linter', { tags: 'thorough' }, async () => {
    // The linter does not follow `contentSchema`, which uses the two payloads.
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: { 'no-unused-components': 'off' },
    });
    const problems = await lintFromString({
      source: JSON.stringify(document),
      absoluteRef: 'openapi.json',
      config,
    });
    expect(
      problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
    ).toEqual([]);
  });

  it("passes Spectral's rules", { tags: 'thorough' }, async () => {
    const spectral = new Spectral.Spectral();
    // All rules but one: the project has no e-mail address.
    spectral.setRuleset({
      extends: [[rulesets.oas as RulesetDefinition, 'all']],
      rules: { 'contact-properties': 'off' },
    });
    const problems = await spectral.run(JSON.parse(JSON.stringify(document)) as Record<string, unknown>);
    expect(problems.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`)).toEqual([]);
  });

  it('R-4 has every endpoint with the API key, the envelope and the statuses', () => {
    const endpoints = [
      ...Object.values(FLOWS).map(({ endpoint }) => endpoint),
      EVENTS_ENDPOINT,
      QUERY_ENDPOINT,
      ...Object.values(BACK_OFFICE_ENDPOINTS),
    ];
    expect(Object.keys(document.paths).toSorted()).toEqual(endpoints.toSorted());
    expect(document.security).toEqual([{ apiKey: [] }]);
    expect(document.components.securitySchemes['apiKey']).toMatchObject({
      in: 'header',
      name: 'X-Service-Api-Key',
    });
    for (const path of Object.values(document.paths)) {
      const { responses } = path['post'] as { responses: Record<string, unknown> };
      expect(Object.keys(responses)).toEqual([
        '200',
        '400',
        '401',
        '403',
        '404',
        '405',
        '409',
        '413',
        '415',
        '422',
        '429',
        '500',
        '503',
      ]);
    }
  });

  type Media = { content: { 'application/json': { schema: object; example: unknown } } };
  const media = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap((path) => {
    const { operationId, requestBody, responses } = path['post'] as {
      operationId: string;
      requestBody: Media;
      responses: Record<string, Media>;
    };
    const bodies = [[`${operationId}: request`, requestBody]] as [string, Media][];
    if (responses['200']) bodies.push([`${operationId}: answer`, responses['200']]);
    return bodies;
  });
  it.each(media)('has a valid example: %s', (_, { content }) => {
    const { schema, example } = content['application/json'];
    const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
    ajv.validate(JSON.parse(text) as object, example);
    expect(example).toBeDefined();
    expect(ajv.errors).toBeNull();
  });

  it.each<[string, object]>([
    ['nothing wrong', {}],
    ['R-21 no charge', { Charges: [] }],
    ['R-21 26 charges', { Charges: Array.from({ length: 26 }, () => ({ Amount: 1 })) }],
    ['R-22 one URL', { SuccessUrl: 'https://a.example' }],
    ['R-22 both', { SuccessUrl: 'https://a.example', ReturnUrl: 'https://a.example' }],
    ['R-22 null', { SuccessUrl: null, ReturnUrl: null }],
    ['R-22 one URL, the other null', { SuccessUrl: 'https://a.example', ReturnUrl: null }],
    ['R-22 relative', { SuccessUrl: '/a', ReturnUrl: '/b' }],
    ['R-23 ClientUser on POS', { Channel: 'POS', PosUser: 'a@b.c', ClientUser: { EmailAddress: 'a@b.c' } }],
    ['R-24 PosUser on QuickPay', { PosUser: 'a@b.c' }],
    ['R-25 POS without PosUser', { Channel: 'POS' }],
    ['R-24 PosUser null on QuickPay', { PosUser: null }],
    ['R-25 PosUser null on POS', { Channel: 'POS', PosUser: null }],
    ['R-23 ClientUser null on POS', { Channel: 'POS', PosUser: 'a@b.c', ClientUser: null }],
    ['POS', { Channel: 'POS', PosUser: 'a@b.c' }],
    ['R-27 half a cent', { Charges: [{ Amount: 0.5 }] }],
    ['R-27 zero', { Charges: [{ Amount: 0 }] }],
    ['R-28 none', { PaymentMethods: [] }],
    ['R-28 unknown', { PaymentMethods: ['Cash'] }],
    ['R-29 an object', { PaymentFields: { a: {} } }],
    ['R-30 an array', { CustomMeta: [] }],
    [
      'R-31 long',
      {
        Charges: [
          { Amount: 1, ClientAccount: { AccountNumber: '1', Name: 'n', Address: { City: 'x'.repeat(101) } } },
        ],
      },
    ],
    [
      'R-31 no date',
      { Charges: [{ Amount: 1, ClientAccount: { AccountNumber: '1', Name: 'n', DueDate: '2026-02-30' } }] },
    ],
    [
      'R-31 a date-time',
      {
        Charges: [
          { Amount: 1, ClientAccount: { AccountNumber: '1', Name: 'n', DueDate: '2026-02-28T12:00:00' } },
        ],
      },
    ],
    [
      'R-32 null for every optional field',
      {
        ClientUser: null,
        CustomMeta: null,
        PaymentFields: { InvoiceNumber: null },
        PaymentMethods: null,
        Charges: [{ Amount: 1, ClientAccount: { AccountNumber: '1', Name: 'n', Address: null } }],
      },
    ],
    ['R-32 null for a required field', { Charges: [{ Amount: null }] }],
    ['R-32 unknown keys', { Unknown: 1, Charges: [{ Amount: 1, Unknown: 1 }] }],
  ])('accepts the same requests as the schemas: %s', (_, change) => {
    const request = { BusinessUnitSlug: 'x', Channel: 'QuickPay', Charges: [{ Amount: 1 }], ...change };
    expect(validates('PaymentSessionRequest', request)).toBe(
      readRequest(paymentSessionRequestSchema, request).ok,
    );
  });
});
