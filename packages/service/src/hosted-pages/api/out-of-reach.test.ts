import { afterAll, beforeAll, expect, it } from 'vitest';
import { losing } from '../../../test/losing.js';
import { config, SLUG } from '../../../test/merchant.js';
import { CARD, open, payer } from '../../../test/payer.js';
import { ServiceError, unavailable } from '../../core/error.js';
import { startTestService, type OpenTestService } from '../../start/test-service.js';
import { createApp } from '../../app.js';
import { Turns } from '../../platform/turns.js';
import { GuessLimits } from '../../platform/http/buckets.js';
import { HANDLERS } from './handlers.js';
import { pageApi } from './routes.js';

let service: OpenTestService;
beforeAll(async () => {
  service = await startTestService({ config: config() });
});
afterAll(() => service.close());

it.each(Object.keys(HANDLERS))(
  'R-61 %s answers 503 with Retry-After while the database is unavailable',
  async (request) => {
    const page = await open(service.fetch, 'payment');
    const { deps } = service;
    const store = { ...deps.store, read: () => Promise.reject(unavailable(new Error('no answer'))) };
    const [method = '', path = ''] = request.split(' ');
    const response = await pageApi({ ...deps, store }, new GuessLimits(), new Turns()).request(
      `/s/${page.id}/api/${path.replace(/:\w+/, 'one')}`,
      {
        method,
        headers: { authorization: `Bearer ${page.secret}` },
      },
    );
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(await response.json()).toMatchObject({ ok: false, errors: [{ code: 'unavailable' }] });
  },
);

it('R-61 other failures return 500 without Retry-After', async () => {
  const page = await open(service.fetch, 'payment');
  const { deps } = service;
  const store = { ...deps.store, read: () => Promise.reject(new ServiceError('not_found', 'Not here.')) };
  const app = createApp({ ...deps, store });
  const fetch = (input: string, init?: RequestInit): Promise<Response> =>
    app.fetch(new Request(new URL(input, 'http://service.test'), init));
  const response = await payer(fetch, page.id, page.secret).send('session');
  expect([response.status, response.headers.get('retry-after')]).toEqual([500, null]);
});

it('R-61 a repeated request gets the same response even if COMMIT responses are lost', async () => {
  const app = createApp({ ...service.deps, store: losing(service.deps.store) });
  const fetch = (input: string, init?: RequestInit): Promise<Response> =>
    app.fetch(new Request(new URL(input, 'http://service.test'), init));
  const paying = await open(service.fetch, 'payment');
  const page = payer(fetch, paying.id, paying.secret);
  const attemptId = 'attempt-1';
  const paid = await page.pay({ attemptId });
  expect(paid).toMatchObject({ status: 'succeeded' });
  expect(await page.pay({ attemptId })).toEqual(paid);
  expect(await page.post(`attempts/${attemptId}/abandon`)).toEqual(paid);
  const managing = await open(service.fetch, 'wallet');
  const wallet = payer(fetch, managing.id, managing.secret);
  const body = { requestId: 'request-1', source: CARD };
  const added = await wallet.post('methods', body);
  expect(await wallet.post('methods', body)).toEqual(added);
  const { payments, paymentMethods } = await service.control.state(SLUG);
  expect([payments.length, paymentMethods.length]).toEqual([1, 1]);
});
