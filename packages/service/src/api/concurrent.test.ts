/** Concurrent requests to one service and to two on one database, on both engines. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVENTS_ENDPOINT, FLOWS } from '@embedded-sessions/server-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withSchema } from '../../test/engines.js';
import { hasPostgres, sharedPostgres, type Postgres } from '../../test/postgres.js';
import { API_KEY, SLUG } from '../../test/merchant.js';
import { CONFIG, startApi, type ApiResponse, type Api } from '../../test/api.js';

const OTHER_KEY = 'stg_another_key';
const PATH = FLOWS.payment.endpoint;
const body = { BusinessUnitSlug: SLUG, Channel: 'QuickPay', Charges: [{ Amount: 100 }] };

function suite(name: string, open: () => Promise<string>): void {
  describe(name, { timeout: 60_000 }, () => {
    let apis: [Api, Api];
    beforeAll(async () => {
      const database = await open();
      const apiKeys = [...CONFIG.apiKeys, { key: OTHER_KEY, businessUnits: [SLUG] }];
      const options = { database, config: { ...CONFIG, apiKeys } };
      apis = [await startApi(options), await startApi(options)];
    }, 60_000);
    afterAll(async () => {
      await Promise.all(apis.map((api) => api.close()));
    });

    /** Sends `count` concurrent requests, alternating between services. */
    const atOnce = (
      count: number,
      call: (api: Api, index: number) => Promise<ApiResponse>,
    ): Promise<ApiResponse[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => call(apis[index % 2 === 0 ? 0 : 1], index)));
    const statuses = (responses: readonly ApiResponse[]): Record<number, number> =>
      responses.reduce<Record<number, number>>(
        (all, { status }) => ({ ...all, [status]: (all[status] ?? 0) + 1 }),
        {},
      );

    it('R-26 of 100 concurrent creates with one ClientReference, one wins and 99 get 409, in one process', async () => {
      const responses = await atOnce(100, () => apis[0].post(PATH, { ...body, ClientReference: 'one' }));
      expect(statuses(responses)).toEqual({ 200: 1, 409: 99 });
    });

    it('R-26 of 100 concurrent creates with one ClientReference, one wins and 99 get 409, in two processes', async () => {
      const responses = await atOnce(100, (api) => api.post(PATH, { ...body, ClientReference: 'two' }));
      expect(statuses(responses)).toEqual({ 200: 1, 409: 99 });
      const refused = responses.filter(({ status }) => status === 409);
      expect(new Set(refused.map(({ errors }) => errors[0]?.code))).toEqual(
        new Set(['client_reference_taken']),
      );
    });

    it('R-58 of 40 concurrent requests with one Idempotency-Key, one creates, in two processes', async () => {
      const headers = { 'idempotency-key': 'same' };
      const responses = await atOnce(40, (api) =>
        api.post(PATH, { ...body, ClientReference: 'idempotent' }, headers),
      );
      const created = responses.filter(({ status }) => status === 200);
      expect(created.length).toBeGreaterThan(0);
      expect(new Set(created.map(({ data }) => data.PaymentLogInLink)).size).toBe(1);
      expect(Object.keys(statuses(responses)).filter((status) => !['200', '409'].includes(status))).toEqual(
        [],
      );
      for (const { status, errors } of responses)
        if (status === 409) expect(errors[0]?.code).toBe('idempotency_in_flight');
    });

    it('D-1 D-6 40 concurrent requests for a new account and customer create one of each', async () => {
      const ClientAccount = { AccountNumber: 'same', Name: 'Ada' };
      const ClientUser = { EmailAddress: 'ada@example.com' };
      const responses = await atOnce(40, (api, index) =>
        api.post(PATH, {
          ...body,
          Charges: [{ Amount: 1, ClientAccount: { ...ClientAccount, Balance: index } }],
          ClientUser,
        }),
      );
      expect(statuses(responses)).toEqual({ 200: 40 });
      await apis[1].service.deps.store.transaction(async (tx) => {
        const accounts = (await tx.accounts.list(SLUG)).filter(
          ({ accountNumber }) => accountNumber === 'same',
        );
        expect(accounts).toHaveLength(1);
        expect(await tx.customers.ofAccount(accounts[0]?.id ?? '')).toMatchObject(
          [ClientUser].map(() => ({ emailAddress: 'ada@example.com' })),
        );
      });
    });

    it('R-97 a request does not wait for the 300 of another API key that came before it', async () => {
      let answered = 0;
      const create = async (key: string): Promise<number> => {
        await apis[0].post(PATH, body, { 'x-service-api-key': key });
        answered += 1;
        return answered;
      };
      const before = Array.from({ length: 300 }, () => create(API_KEY));
      expect(await create(OTHER_KEY)).toBeLessThan(100);
      await Promise.all(before);
    });

    it('D-3 requests about the same accounts in opposite orders all succeed', async () => {
      const accounts = ['left', 'right'].map((AccountNumber) => ({ AccountNumber, Name: 'A' }));
      const responses = await atOnce(20, (api, index) => {
        const ordered = index % 2 === 0 ? accounts : accounts.toReversed();
        const Charges = ordered.map((account) => ({
          Amount: 1,
          ClientAccount: { ...account, Balance: index },
        }));
        return api.post(PATH, { ...body, Charges });
      });
      expect(statuses(responses)).toEqual({ 200: 20 });
    });

    it('E-3 of two customers moved concurrently to one address, only one moves', async () => {
      const payload = (accountNumber: string, emailAddress: string, originalEmailAddress?: string) => ({
        eventType: 'Accounts.ManageCustomer',
        businessUnitSlug: SLUG,
        payload: JSON.stringify({
          accountNumber,
          subAccountNumber: '',
          firstName: 'A',
          lastName: 'B',
          emailAddress,
          originalEmailAddress,
        }),
      });
      for (const name of ['left', 'right'])
        await apis[0].post(EVENTS_ENDPOINT, payload(name, `${name}@example.com`));
      const responses = await atOnce(2, (api, index) => {
        const name = index === 0 ? 'left' : 'right';
        return api.post(EVENTS_ENDPOINT, payload(name, 'middle@example.com', `${name}@example.com`));
      });
      expect(statuses(responses)).toEqual({ 200: 1, 409: 1 });
      expect(responses.find(({ status }) => status === 409)?.errors[0]?.code).toBe('email_in_use');
    });
  });
}

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-concurrent-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
suite('SQLite file', async () => join(folder, 'service.db'));

describe.runIf(hasPostgres)('with a server', () => {
  let postgres: Postgres;
  let database: () => Promise<string>;
  beforeAll(async () => {
    postgres = await sharedPostgres();
    database = withSchema(postgres);
  }, 60_000);
  afterAll(() => postgres.stop());
  suite('PostgreSQL', () => database());
});
