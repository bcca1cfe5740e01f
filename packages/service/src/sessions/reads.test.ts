import { FLOWS, type Flow } from '@embedded-sessions/server-types';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { API_KEY, REQUESTS, SLUG } from '../../test/merchant.js';
import { startApi, type Api } from '../../test/api.js';
import { watched } from '../../test/watched.js';
import { createApp, type App } from '../app.js';

let api: Api;
let app: App;
const calls: string[] = [];
let looks = 0;
beforeAll(async () => {
  api = await startApi();
  const { deps } = api.service;
  const { store, clock } = deps;
  app = createApp({
    ...deps,
    clock: {
      offset: 0,
      now: () => {
        calls.push('clock.now');
        return clock.now();
      },
      at: (offset) => {
        calls.push('clock.at');
        return clock.at(offset);
      },
    },
    store: {
      ...watched(store, (call) => calls.push(call)),
      // Reads before the transaction, for the height of the page.
      read: (work) => {
        looks++;
        return store.read(work);
      },
    },
  });
});
afterAll(() => api.close());
beforeEach(() => {
  calls.length = 0;
  looks = 0;
});

const account = { AccountNumber: '1', Name: 'Ada Byron' };
const payment = {
  ClientUser: { EmailAddress: 'ada@example.com', FirstName: 'Ada' },
  ClientReference: 'once',
  Charges: [
    { Amount: 1, ClientAccount: account },
    { Amount: 2, ClientAccount: account },
  ],
};

it.each(Object.keys(FLOWS) as Flow[])(
  'R-1 creating a %s session reads each record once, in one transaction',
  async (flow) => {
    const body = { ...REQUESTS[flow], ...(flow === 'payment' ? payment : {}) };
    const response = await app.fetch(
      new Request(`http://service.test${FLOWS[flow].endpoint}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-service-api-key': API_KEY,
          'idempotency-key': flow,
        },
        body: JSON.stringify({ BusinessUnitSlug: SLUG, ...body }),
      }),
    );
    expect(response.status).toBe(200);
    const reads = calls.filter((call) => /clock|get|find/.test(call));
    expect(reads).toContain('clock.at');
    // Two single rows: the clock's offset and the secret for account ids.
    expect(reads.filter((call) => call === 'meta.get').length).toBeLessThanOrEqual(2);
    const records = reads.filter((call) => call !== 'meta.get');
    expect(records).toEqual([...new Set(records)]);
    expect(reads.filter((call) => call.startsWith('clock'))).toHaveLength(1);
    expect(looks).toBe(0);
  },
);
