import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { config } from '../../../test/merchant.js';
import { BANK, CARD, open } from '../../../test/payer.js';
import type { Payer } from '../../../test/payer.js';
import { describeOn, startEngines } from '../../../test/engines.js';
import { startTestService } from '../../start/test-service.js';
import type { OpenTestService } from '../../start/test-service.js';

const RUNS = Number(process.env['GENERATED_REQUESTS'] ?? 400);

const REQUESTS: readonly (readonly [flow: Parameters<typeof open>[1], path: string])[] = [
  ['payment', 'pay'],
  ['wallet', 'methods'],
  ['wallet', 'methods/*/remove'],
  ['wallet', 'methods/*/default'],
  ['autopay', 'autopay/enroll'],
  ['autopay', 'autopay/method'],
  ['paperless', 'paperless'],
  ['schedule-payment', 'schedule'],
  ['scheduled-payments', 'scheduled/*/cancel'],
  ['notifications', 'notifications'],
];

const hostile = fc.oneof(
  fc.constantFrom('', '\u0000', '\ud800', '__proto__', 'constructor', '12.5', '1e400', 'x'.repeat(5_000)),
  fc.constantFrom(0, -1, 1.5, Number.MAX_SAFE_INTEGER, null, true, [], {}),
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
);
const id = fc.oneof(fc.uuid(), fc.constantFrom('pm_1', 'a\u0000b', '\ud800'), hostile);
const or = (right: unknown): fc.Arbitrary<unknown> => fc.oneof(fc.constant(right), hostile);
const source = fc.oneof(
  fc.constantFrom(CARD, BANK),
  fc.record(
    Object.fromEntries(Object.entries({ ...CARD, ...BANK }).map(([key, value]) => [key, or(value)])),
    { requiredKeys: [] },
  ),
  fc.record({ savedMethodId: id }),
  hostile,
);
const sometimes = fc.record({ email: or(true), sms: or(false) });
const body = fc.oneof(
  fc.record(
    {
      attemptId: id,
      requestId: id,
      methodId: id,
      source,
      saveMethod: or(false),
      makeDefault: or(true),
      charges: fc.oneof(fc.array(fc.record({ index: or(0), amount: or(12_345) })), hostile),
      fields: fc.oneof(fc.dictionary(fc.string(), hostile), hostile),
      enrolled: or(true),
      amount: or(100),
      date: or('2026-12-24'),
      phoneNumber: or('+15550100199'),
      kinds: fc.oneof(fc.record({ autopay: sometimes }), hostile),
      ['__proto__']: hostile,
    },
    { requiredKeys: [] },
  ),
  hostile,
);

describeOn(startEngines())('on %s', (engine, database) => {
  let service: OpenTestService;
  const pages = new Map<string, Payer>();
  beforeAll(async () => {
    service = await startTestService({
      config: config({ paymentFields: [{ key: 'Memo', label: 'Memo' }] }),
      database: await database(),
    });
    for (const [flow] of REQUESTS) pages.set(flow, await open(service.fetch, flow));
  });
  afterAll(() => service.close());

  it(
    'R-43 every malformed request gets an error that names the problem',
    async () => {
      const request = fc.record({
        target: fc.constantFrom(...REQUESTS),
        body,
        id: fc.oneof(fc.uuid(), fc.string()),
      });
      await fc.assert(
        fc.asyncProperty(request, async ({ target: [flow, path], body, id }) => {
          const answer = await (pages.get(flow) as Payer).send(path.replace('*', encodeURIComponent(id)), {
            method: 'POST',
            body: JSON.stringify(body),
          });
          const response = (await answer.json()) as {
            ok: boolean;
            errors?: { code: string; message: string }[];
          };
          expect(answer.status, JSON.stringify(response).slice(0, 500)).toBeLessThan(500);
          expect(response.ok).toBe(answer.status === 200);
          if (!response.ok)
            expect(response.errors?.every(({ code, message }) => code !== '' && message !== '')).toBe(true);
        }),
        { numRuns: engine === 'SQLite' ? RUNS : RUNS / 2 },
      );
    },
    Math.max(60_000, RUNS * 20),
  );
});
