import { afterAll, beforeAll, expect, it } from 'vitest';
import { config } from '../../../test/merchant.js';
import { open } from '../../../test/payer.js';
import { unavailable } from '../../domain/error.js';
import { startTestService, type OpenTestService } from '../../run/test-service.js';
import { guesses } from '../guesses.js';
import { HANDLERS } from './handlers.js';
import { pageApi } from './routes.js';

let service: OpenTestService;
beforeAll(async () => {
  service = await startTestService({ config: config() });
});
afterAll(() => service.close());

it.each(Object.keys(HANDLERS))(
  'R-61 %s: 503 that promises nothing and may be asked again',
  async (request) => {
    const page = await open(service.fetch, 'payment');
    const { deps } = service;
    const store = { ...deps.store, read: () => Promise.reject(unavailable(new Error('no answer'))) };
    const [method = '', path = ''] = request.split(' ');
    const response = await pageApi(
      { ...deps, store },
      guesses(() => performance.now()),
      () => '',
    ).request(`/s/${page.id}/api/${path.replace(/:\w+/, 'one')}`, {
      method,
      headers: { authorization: `Bearer ${page.secret}` },
    });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(await response.json()).toMatchObject({ ok: false, errors: [{ code: 'unavailable' }] });
  },
);
