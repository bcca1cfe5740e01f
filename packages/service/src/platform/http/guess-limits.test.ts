/** Guessing is rate limited without affecting other callers. */
import { EVENTS_ENDPOINT, FLOWS, QUERY_ENDPOINT } from '@embedded-sessions/server-types';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { API_KEY, config } from '../../../test/merchant.js';
import { open, type Payer } from '../../../test/payer.js';
import { ServiceError } from '../../core/error.js';
import { createTestService, startTestService, type TestService } from '../../start/test-service.js';

let service: TestService;
beforeEach(async () => {
  service = await createTestService({ config: config() });
});
afterEach(() => service.close());

const ask = async (key: string | null, path: string = FLOWS.payment.endpoint): Promise<Response> =>
  service.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === null ? {} : { 'x-service-api-key': key }) },
    body: '{}',
  });
const times = async (count: number, guess: (index: number) => Promise<Response>): Promise<Response[]> => {
  const responses: Response[] = [];
  for (let index = 0; index < count; index++) responses.push(await guess(index));
  return responses;
};
const statuses = (responses: readonly Response[]): number[] => [
  ...new Set(responses.map(({ status }) => status)),
];

describe('wrong API keys', () => {
  it('get 429 with Retry-After after a hundred on any path, while a valid key works', async () => {
    const paths = [FLOWS.payment.endpoint, QUERY_ENDPOINT, EVENTS_ENDPOINT];
    const responses = await times(150, (index) =>
      ask(index % 4 === 0 ? null : `stg_${index}`, paths[index % 3]),
    );
    expect(statuses(responses)).toEqual([401, 429]);
    expect(responses.slice(0, 90).every(({ status }) => status === 401)).toBe(true);
    const last = responses.at(-1);
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await last?.json()).toMatchObject({
      hasErrors: true,
      errors: [{ code: 'rate_limited' }],
      data: null,
    });
    expect((await ask(API_KEY)).status).toBe(400);
  });

  it('are not counted while keys cannot be looked up', async () => {
    const away = await startTestService({ config: config() });
    const gone = new ServiceError('unavailable', 'Try again.');
    vi.spyOn(away.deps.store, 'read').mockRejectedValue(gone);
    const headers = { 'content-type': 'application/json', 'x-service-api-key': 'stg_of_the_database' };
    const responses = await times(150, () =>
      away.fetch(FLOWS.payment.endpoint, { method: 'POST', headers, body: '{}' }),
    );
    expect(statuses(responses)).toEqual([503]);
    await away.close();
  });
});

describe('wrong session secrets', () => {
  const guess = (id: string, secret: string): Promise<Response> =>
    service.fetch(`/s/${id}/api/session`, { headers: { authorization: `Bearer ${secret}` } });
  let payer: Payer;
  beforeEach(async () => {
    payer = await open(service.fetch, 'payment');
  });

  it('get 429 with Retry-After after twenty for one session, while payers can still pay', async () => {
    const responses = await times(40, (index) => guess(payer.id, `wrong${index}`));
    expect(statuses(responses)).toEqual([401, 429]);
    expect(Number(responses.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await responses.at(-1)?.json()).toMatchObject({ ok: false, errors: [{ code: 'unauthorized' }] });
    expect(await payer.get()).toMatchObject({ id: payer.id });
    const other = await open(service.fetch, 'payment');
    expect((await guess(other.id, 'wrong')).status).toBe(401);
    expect((await other.pay()).status).toBe('succeeded');
  });

  it('get 429 after a hundred for existing and unknown sessions alike', async () => {
    const responses = await times(150, (index) => guess(`${payer.id.slice(0, -4)}${1000 + index}`, 'wrong'));
    expect(statuses(responses)).toEqual([401, 429]);
    expect(await payer.get()).toMatchObject({ id: payer.id });
  });
});
