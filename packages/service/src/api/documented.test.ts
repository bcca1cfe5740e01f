/** The errors in the OpenAPI document match the service's responses. */
import { FLOWS, QUERY_ENDPOINT } from '@embedded-sessions/server-types';
import { openapi } from '@embedded-sessions/server-types/schemas';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONFIG, startApi, type ApiResponse, type Api, type ErrorItem } from '../../test/api.js';
import { SLUG } from '../../test/merchant.js';

const { responses } = openapi().components as {
  responses: Record<string, { content: { 'application/json': { example: { errors: ErrorItem[] } } } }>;
};
const documented = new Map(
  Object.values(responses).flatMap(({ content }) =>
    content['application/json'].example.errors.map((error) => [error.code, error] as const),
  ),
);

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const path = FLOWS.payment.endpoint;
const request = { BusinessUnitSlug: SLUG, Channel: 'QuickPay', Charges: [{ Amount: 1 }] };
const twice = async (ask: (time: number) => Promise<ApiResponse>): Promise<ApiResponse> => {
  await ask(1);
  return ask(2);
};

it.each<[code: string, ask: () => Promise<Pick<ApiResponse, 'errors'>>]>([
  ['required', () => api.post(path, { ...request, Channel: undefined })],
  ['invalid_api_key', () => api.post(path, request, { 'x-service-api-key': 'of nobody' })],
  ['business_unit_forbidden', () => api.post(path, { ...request, BusinessUnitSlug: 'foreign' })],
  [
    'not_found',
    () => api.post(QUERY_ENDPOINT, { BusinessUnitSlug: SLUG, PaymentSessionIdentifier: 'stg_none' }),
  ],
  ['method_not_allowed', async () => (await api.service.fetch(path)).json() as Promise<ApiResponse>],
  ['client_reference_taken', () => twice(() => api.post(path, { ...request, ClientReference: 'once' }))],
  ['body_too_large', () => api.post(path, ' '.repeat(262_145))],
  ['unsupported_media_type', () => api.post(path, request, { 'content-type': 'text/plain' })],
  [
    'idempotency_key_reused',
    () =>
      twice((Amount) => api.post(path, { ...request, Charges: [{ Amount }] }, { 'idempotency-key': 'one' })),
  ],
  [
    'rate_limited',
    async () => {
      // A separate service, because the limit would also apply to the other tests.
      const limited = await startApi({ config: { ...CONFIG, rateLimit: { perSecond: 200, burst: 10 } } });
      const responses = await Promise.all(Array.from({ length: 20 }, () => limited.post(path, request)));
      await limited.close();
      return responses.find(({ status }) => status === 429)!;
    },
  ],
])('R-43 %s has the message of the document', async (code, ask) => {
  expect((await ask()).errors).toEqual([documented.get(code)]);
});
