/** without a session's secret, no response says which business units or origins a service has. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { API_KEY, config } from '../../test/merchant.js';
import { FRAMED_BY } from '../shared/warm.js';
import { open } from '../../test/payer.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';

/** A business unit in whose settings every text is one word, and one that the service does not have. */
const [LISTED, UNLISTED] = ['zebra', 'okapi'];

const other = {
  slug: LISTED,
  name: LISTED,
  allowedOrigins: [`https://${LISTED}.example`],
  agents: [{ email: `agent@${LISTED}.example`, pos: true }],
  logoUrl: `https://${LISTED}.example/logo.png`,
  links: { help: `https://${LISTED}.example/help` },
  paymentFields: [{ key: LISTED, label: LISTED }],
  webhook: { url: `https://${LISTED}.example/hook`, secrets: [`whsec_${'a'.repeat(32)}`] },
  messages: { en: { 'payment.title': `${LISTED} {business}` } },
};

let service: OpenTestService;
let sessionId: string;
beforeAll(async () => {
  const { businessUnits, apiKeys } = config({ allowedOrigins: ['https://own.example'] }) as {
    businessUnits: object[];
    apiKeys: object[];
  };
  service = await startTestService({
    config: {
      businessUnits: [...businessUnits, other],
      apiKeys: [...apiKeys, { key: 'stg_other_key', businessUnits: [LISTED] }],
    },
  });
  ({ id: sessionId } = await open(service.fetch, 'payment'));
});
afterAll(() => service.close());

const PAGES = [
  '/s/ID',
  '/s/ID?lang=ar',
  '/s/ID/framing',
  '/s/ID/framing.js?origins=https://WORD.example,https://own.example',
  '/s/ID/returned',
  '/s/ID/logo',
  '/s/ID/logo?dark',
  '/s/ID/texts/payment.en.js',
  '/s/ID/api/session',
  '/s/WORD',
  '/s/warm?origin=https://WORD.example',
  '/app/words.js?lang=WORD',
  '/app/embedded.loader.js',
  '/assets/WORD.js',
  '/unsubscribe/ID',
  '/openapi.json',
  '/WORD',
];
const HEADERS = {
  origin: 'https://WORD.example',
  referer: 'https://WORD.example/',
  [FRAMED_BY]: 'https://WORD.example',
};

const apiCalls = (key: string | undefined): [string, RequestInit][] =>
  ['initiate', 'autopay', 'query', 'cancel', 'wallet'].map((call) => [
    `/integrations/embedded/${call}`,
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'x-service-api-key': key }),
      },
      body: JSON.stringify({
        BusinessUnitSlug: 'WORD',
        PaymentSessionIdentifier: 'ID',
        Channel: 'POS',
        PosUser: 'agent@WORD.example',
        PaymentFields: { WORD: 1 },
        Charges: [{ Amount: 1 }],
      }),
    },
  ]);

const requests: [string, RequestInit][] = [
  ...PAGES.map((path): [string, RequestInit] => [path, {}]),
  ...PAGES.map((path): [string, RequestInit] => [path, { headers: HEADERS }]),
  ...PAGES.map((path): [string, RequestInit] => [path, { method: 'POST', headers: HEADERS, body: '{}' }]),
  ...[undefined, 'stg_WORD', API_KEY].flatMap(apiCalls),
];

/** Status, headers and body of the response. Whatever the request and the response say of the word is left out. */
async function answerTo([path, init]: [string, RequestInit], word: string, id: string): Promise<string> {
  const filledIn = (text: string): string => text.replaceAll('WORD', word).replaceAll('ID', id);
  const response = await service.fetch(
    filledIn(path),
    JSON.parse(filledIn(JSON.stringify(init))) as RequestInit,
  );
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'retry-after');
  return [response.status, JSON.stringify(headers), await response.text()]
    .join('\n')
    .replaceAll(word, 'WORD');
}

it.each(['an unknown session', 'a session of another business unit'])(
  'R-92 answers alike about listed and unlisted names and origins, for %s',
  async (which) => {
    const id = which === 'an unknown session' ? 'stg_unknown' : sessionId;
    for (const request of requests)
      expect(await answerTo(request, LISTED, id), request[0]).toBe(await answerTo(request, UNLISTED, id));
  },
);

it('R-92 names no other business unit', async () => {
  for (const id of ['stg_unknown', sessionId])
    for (const request of requests)
      expect(await answerTo(request, UNLISTED, id), request[0]).not.toMatch(/zebra/i);
});

it('R-92 names its own business unit only on the page of a session that exists', async () => {
  for (const request of requests.filter(([path]) => path.includes('ID')))
    expect(await answerTo(request, UNLISTED, 'stg_unknown'), request[0]).not.toMatch(
      /own\.example|Harborlight/,
    );
  expect(await answerTo(['/s/ID', {}], UNLISTED, sessionId)).toContain('own.example');
});

it('R-91 reads no request of a session, which can have 256 KiB, without its secret', async () => {
  const { store } = service.deps;
  const real = { ...store };
  const requested = vi.fn(() => Promise.reject(new Error('read')));
  const reading = vi
    .spyOn(store, 'read')
    .mockImplementation((work) =>
      real.read((tx) => work({ ...tx, sessions: { ...tx.sessions, get: requested } })),
    );
  const statuses: Record<string, number> = {};
  for (const path of ['', '/framing.js', '/logo', '/texts/payment.en.js', '/api/session'])
    statuses[path] = (
      await service.fetch(`/s/${sessionId}${path}`, { headers: { authorization: 'Bearer wrong' } })
    ).status;
  reading.mockRestore();
  expect(requested).not.toHaveBeenCalled();
  expect(statuses).toEqual({
    '': 200,
    '/framing.js': 200,
    '/logo': 404,
    '/texts/payment.en.js': 404,
    '/api/session': 401,
  });
});
