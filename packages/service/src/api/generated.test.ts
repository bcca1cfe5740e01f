/**
 * Sends generated requests to every endpoint: valid, invalid in known places, and hostile. `GENERATED_REQUESTS=100000` sends
 * that many in total.
 */
import { EVENTS_ENDPOINT, FLOWS, QUERY_ENDPOINT, type Charge } from '@embedded-sessions/server-types';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEngines } from '../../test/engines.js';
import { SLUG } from '../../test/merchant.js';
import { startApi, type ApiResponse, type Api } from '../../test/api.js';

const REQUESTS = Number(process.env['GENERATED_REQUESTS'] ?? 400);

type Json = Record<string, unknown>;
type Path = readonly (string | number)[];

/** Optional keys; values are valid. */
const text = fc
  .string({ unit: 'grapheme', maxLength: 60 })
  .filter((value) => !/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u.test(value));
const identifier = text.map((value) => `x${value}`);
/** Neither begins nor ends with white space, as for a new account (D-1). */
const accountNumber = text.map((value) => `x${value}x`);
const subAccountNumber = fc.oneof(fc.constant(''), accountNumber);
const email = fc
  .string({ unit: fc.constantFrom('a', 'b', 'Z', '0', '9', '.', '+', '-'), minLength: 1, maxLength: 20 })
  .map((name) => `${name}@example.com`);
const day = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const optional = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] });
const address = optional({
  StreetAddress: text,
  StreetAddress2: text,
  City: text,
  State: text,
  ZipCode: text,
});
const meta = fc.dictionary(text, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
const account = fc.record(
  {
    AccountNumber: accountNumber,
    Name: identifier,
    SubAccountNumber: subAccountNumber,
    Balance: fc.maxSafeInteger(),
    PhoneNumber: text,
    DueDate: day,
    IssueDate: day,
    Note: text,
    Address: address,
    Custom: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: ['AccountNumber', 'Name'] },
);
const user = fc.record(
  { EmailAddress: email, FirstName: text, LastName: text },
  { requiredKeys: ['EmailAddress'] },
);
const charge = fc.record(
  {
    Amount: fc.integer({ min: 1 }),
    Description: text,
    ChargeType: text,
    CustomMeta: meta,
    ClientAccount: account,
  } satisfies Record<keyof Charge, unknown>,
  { requiredKeys: ['Amount'] },
);
const payment = fc.record(
  {
    BusinessUnitSlug: fc.constant(SLUG),
    Channel: fc.constant('QuickPay'),
    Charges: fc.array(charge, { minLength: 1, maxLength: 5 }),
    ClientUser: user,
    PaymentDescriptor: text,
    ClientReference: fc.uuid(),
    PaymentMethods: fc.constantFrom(['ACH'], ['Credit Card'], ['ACH', 'Credit Card']),
    PaymentFields: optional({ InvoiceNumber: text }),
    CustomMeta: meta,
  },
  { requiredKeys: ['BusinessUnitSlug', 'Channel', 'Charges'] },
);
const managed = fc.record({
  BusinessUnitSlug: fc.constant(SLUG),
  SyncAccount: fc.constant(true),
  ClientAccount: account,
  ClientUser: user,
});
const customerEvent = fc.record({
  accountNumber,
  subAccountNumber,
  firstName: identifier,
  lastName: identifier,
  emailAddress: email,
});
const event = customerEvent.map((payload) => ({
  eventType: 'Accounts.ManageCustomer',
  businessUnitSlug: SLUG,
  payload: JSON.stringify(payload),
}));
const query = fc.record({ BusinessUnitSlug: fc.constant(SLUG), PaymentSessionIdentifier: identifier });

/** Invalid in any field. Not null, which optional fields accept. */
const WRONG: readonly unknown[] = [true, [], [[]], -1, 1.5, { toString: 1 }];
const HOSTILE_TEXT = [
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '__proto__',
  'constructor',
  '"',
  '\u202e',
  '${x}',
  "'; drop table sessions;--",
];
const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + close.repeat(depth);

const hostileValue = fc.oneof(
  fc.constantFrom<unknown>(...WRONG, ...HOSTILE_TEXT, true, Number.MAX_SAFE_INTEGER, 'x'.repeat(5_000)),
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
);

/** Paths to all values of a request, leaves first. */
function placesOf(value: unknown, path: Path = []): Path[] {
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [];
  return [
    ...entries.flatMap(([key, item]) => placesOf(item, [...path, key])),
    ...(path.length > 0 ? [path] : []),
  ];
}

function put(root: unknown, path: Path, value: unknown): void {
  let at = root as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  if (value === undefined) delete at[last];
  else Object.defineProperty(at, last, { value, enumerable: true, configurable: true, writable: true });
}

/** A valid request with a few values replaced, emptied or added. */
const nearlyValid = (valid: fc.Arbitrary<Json>): fc.Arbitrary<string> =>
  fc
    .tuple(
      valid,
      fc.array(fc.tuple(fc.nat(), fc.option(hostileValue, { nil: undefined }), fc.boolean()), {
        minLength: 1,
        maxLength: 4,
      }),
    )
    .map(([request, changes]) => {
      const changed = structuredClone(request);
      for (const [which, value, asSibling] of changes) {
        const places = placesOf(changed);
        const place = places[which % Math.max(1, places.length)];
        if (place === undefined) continue;
        put(changed, asSibling ? [...place.slice(0, -1), '__proto__'] : place, structuredClone(value));
      }
      return JSON.stringify(changed);
    });

const duplicateKeys = (valid: fc.Arbitrary<Json>): fc.Arbitrary<string> =>
  fc
    .tuple(valid, nearlyValid(valid))
    .map(([one, other]) => `${JSON.stringify(one).slice(0, -1)},${other.slice(1)}`);

const hostileBody = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.json({ maxDepth: 6 }),
  fc.constantFrom(
    nested(100_000, '[', ']'),
    nested(50_000, '{"a":', '}'),
    `{"BusinessUnitSlug":"${SLUG}","CustomMeta":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
    `{"BusinessUnitSlug":"${SLUG}","Channel":"QuickPay","Charges":[{"Amount":1e400}],"CustomMeta":{"n":-1e400}}`,
    `{"businessUnitSlug":"${SLUG}","eventType":"Accounts.ManageCustomer","payload":${JSON.stringify(nested(60_000, '[', ']'))}}`,
    `{"BusinessUnitSlug":"${SLUG}","Charges":[${'{},'.repeat(60_000)}{}]}`,
    `{"Padding":"${'x'.repeat(300 * 1024)}"}`,
    '{"__proto__":{"BusinessUnitSlug":"x"},"constructor":{"prototype":1}}',
  ),
);

const ENDPOINTS: readonly [string, fc.Arbitrary<Json>, readonly number[]][] = [
  [FLOWS.payment.endpoint, payment, [200]],
  [FLOWS.autopay.endpoint, managed, [200]],
  [FLOWS.paperless.endpoint, managed, [200]],
  [FLOWS['schedule-payment'].endpoint, managed, [200]],
  [FLOWS['scheduled-payments'].endpoint, managed, [200]],
  [FLOWS.wallet.endpoint, managed, [200]],
  [FLOWS.notifications.endpoint, managed, [200]],
  [EVENTS_ENDPOINT, event, [200]],
  [QUERY_ENDPOINT, query, [404]],
];

/** Expects no 5xx, and a message in each error. `post` checks the envelope. */
function expectValidResponse({ status, hasErrors, errors }: ApiResponse): void {
  expect(status).toBeLessThan(500);
  expect(hasErrors).toBe(status !== 200);
  expect(errors.length > 0).toBe(hasErrors);
  for (const { message } of errors) expect(message.length).toBeGreaterThan(10);
}

/** Fields that must be a string or a number, by endpoint. */
const STRICT =
  /^(?:Charges\[\d+\]\.(?!ClientAccount)\w+|ClientAccount\.AccountNumber|ClientUser\.(?:EmailAddress|FirstName|LastName)|PaymentDescriptor|CustomMeta|PaymentSessionIdentifier|accountNumber|emailAddress|firstName|lastName|subAccountNumber|Charges\[\d+\]\.ClientAccount\.(?:AccountNumber|Name|Balance|DueDate|PhoneNumber|Address\.(?:City|ZipCode)))$/;

function spoil(path: string, request: Json, picks: readonly number[]): { body: unknown; fields: string[] } {
  const isEvent = path === EVENTS_ENDPOINT;
  const spoiled = structuredClone(isEvent ? (JSON.parse(request['payload'] as string) as Json) : request);
  const ignored =
    path === FLOWS.wallet.endpoint || path === FLOWS.notifications.endpoint ? /^ClientAccount/ : /^$/;
  const places = placesOf(spoiled).filter(
    (place) => STRICT.test(fieldOf(place)) && !ignored.test(fieldOf(place)),
  );
  const chosen = new Set(picks.map((pick) => places[pick % places.length]));
  const fields: string[] = [];
  // The request also breaks a rule that spans fields; field errors must not hide it.
  if (path === FLOWS.payment.endpoint) {
    spoiled['SuccessUrl'] = 'https://shop.example';
    fields.push('ReturnUrl');
  }
  for (const [index, place] of [...chosen].entries()) {
    if (place === undefined) continue;
    put(spoiled, place, WRONG[((picks[0] ?? 0) + index) % 3]);
    fields.push((isEvent ? 'payload.' : '') + fieldOf(place));
  }
  return { body: isEvent ? { ...request, payload: JSON.stringify(spoiled) } : spoiled, fields };
}

const fieldOf = (path: Path): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');

describe.each(startEngines())('on %s', (engine, database) => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi({ database: await database() });
  });
  afterAll(() => api.close());
  const runs = engine === 'PostgreSQL' ? REQUESTS / 2 : REQUESTS;
  const numRuns = Math.max(5, Math.round(runs / (ENDPOINTS.length * 4)));
  const limit = Math.max(30_000, runs * 20);

  it.each(ENDPOINTS)(
    'R-20 R-40 %s accepts valid requests',
    { timeout: limit },
    async (path, valid, expected) => {
      await fc.assert(
        fc.asyncProperty(valid, async (request) => {
          const response = await api.post(path, request);
          expect(expected, JSON.stringify(response.errors)).toContain(response.status);
        }),
        { numRuns },
      );
    },
  );

  it.each(ENDPOINTS)(
    'R-40 R-43 %s responds to nearly valid requests',
    { timeout: limit },
    async (path, valid) => {
      const bodies = fc.oneof(nearlyValid(valid), duplicateKeys(valid));
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => expectValidResponse(await api.post(path, body))),
        { numRuns },
      );
    },
  );

  it.each(ENDPOINTS)('R-40 R-43 %s responds to hostile requests', { timeout: limit }, async (path) => {
    await fc.assert(
      fc.asyncProperty(hostileBody, async (body) => expectValidResponse(await api.post(path, body))),
      { numRuns },
    );
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it.each(ENDPOINTS)('R-43 %s reports every invalid field', { timeout: limit }, async (path, valid) => {
    await fc.assert(
      fc.asyncProperty(valid, fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), async (request, picks) => {
        const { body, fields } = spoil(path, request, picks);
        const response = await api.post(path, body);
        expect(response.status).toBe(400);
        expect(response.errors.map(({ field }) => field)).toEqual(expect.arrayContaining(fields));
      }),
      { numRuns },
    );
  });
});
