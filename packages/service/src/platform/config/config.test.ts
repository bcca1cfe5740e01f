import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceEnvironment } from '../../shared/environment.js';
import { parseConfig, readConfig, withSmtp } from './config.js';
import { hashKey } from '../ids.js';
import { REVIEWED } from '../../texts/texts.js';

/** Looks like an API key. */
const SECRET = `stg_${'aB3-'.repeat(10)}`;

const unit = { slug: 'water', name: 'Water' };
const hash = `sha256:${'0'.repeat(64)}`;

function problemsOf(value: unknown, env: ServiceEnvironment = 'staging'): string[] {
  try {
    parseConfig(value, env);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ name: 'ServiceError', code: 'invalid_config' });
    return (error as Error).message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
}

const pathsOf = (value: unknown, env?: ServiceEnvironment): string[] =>
  problemsOf(value, env).map((line) => line.split(': ')[0] ?? '');

describe('the config file', () => {
  it('R-9 fills in defaults', () => {
    expect(parseConfig({ businessUnits: [unit] }, 'production')).toEqual({
      businessUnits: [
        {
          ...unit,
          timeZone: 'UTC',
          autopay: 'service',
          allowedOrigins: [],
          paymentMethods: ['Credit Card', 'ACH'],
          countries: ['US'],
          allowAmountAdjustment: false,
          paymentFields: [],
          agents: [],
          languages: REVIEWED,
        },
      ],
      apiKeys: [],
      rateLimit: { perSecond: 200, burst: 1000 },
      maxConnections: 500,
      processor: { concurrency: 32, perBusinessUnit: 8 },
      database: {},
      trustedProxies: [],
    });
  });

  it('R-100 accepts address ranges as trusted proxies', () => {
    const trustedProxies = ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7/32'];
    expect(parseConfig({ businessUnits: [], trustedProxies }, 'staging').trustedProxies).toMatchObject([
      [{ octets: [10, 0, 0, 0] }, 8],
      [{ parts: [0x2001, 0xdb8, 0, 0, 0, 0, 0, 0] }, 32],
      [{ octets: [192, 0, 2, 7] }, 32],
    ]);
    for (const wrong of ['10.0.0.1', '10.0.0.0/33', 'proxy.example', '*', '', 7])
      expect(pathsOf({ trustedProxies: [wrong] })).toEqual(['trustedProxies[0]']);
  });

  it('R-95 accepts IANA time zones', () => {
    const of = (timeZone: unknown) => problemsOf({ businessUnits: [{ ...unit, timeZone }] });
    for (const zone of ['UTC', 'America/New_York', 'US/Pacific', 'Asia/Kathmandu'])
      expect(of(zone)).toEqual([]);
    for (const zone of ['Mars/Olympus', '+02:00', '', 'EST5', 5]) expect(of(zone)).toHaveLength(1);
    expect(of('Mars/Olympus')).toEqual([
      'businessUnits[0].timeZone: must be an IANA time zone, such as "America/New_York"',
    ]);
  });

  it('R-9 accepts ISO 3166-1 countries without duplicates', () => {
    const of = (countries: unknown) => problemsOf({ businessUnits: [{ ...unit, countries }] });
    expect(of(['US', 'CA', 'GB', 'DE', 'JP', 'ZW'])).toEqual([]);
    const unknown = 'must be a country of ISO 3166-1 by its two capital letters, such as "US" or "CA"';
    expect(of(['US', 'UK', 'ca', 'ZZ'])).toEqual(
      [1, 2, 3].map((n) => `businessUnits[0].countries[${n}]: ${unknown}`),
    );
    expect(of(['US', 'CA', 'US'])).toEqual(['businessUnits[0].countries[2]: duplicates an earlier one']);
    expect(of([])).toHaveLength(1);
    expect(of('CA')).toHaveLength(1);
  });

  it('R-9 reports all problems with their paths', () => {
    const paths = pathsOf({
      businessUnits: [
        {
          slug: '',
          name: 'x',
          paymentMethods: ['Cash'],
          allowedOrigins: ['http://a.example/path'],
          colour: 1,
        },
        { name: 7, agents: [{ email: 'nobody' }], webhook: { url: 'ftp://x', secrets: ['plain'] } },
      ],
      apiKeys: [{ businessUnits: [] }, { key: 'stg_12345678', keyHash: hash, businessUnits: ['water'] }],
      rateLimits: {},
    });
    expect(paths.toSorted()).toEqual(
      [
        'businessUnits[0].colour',
        'businessUnits[0].slug',
        'businessUnits[0].allowedOrigins[0]',
        'businessUnits[0].paymentMethods[0]',
        'businessUnits[1].slug',
        'businessUnits[1].name',
        'businessUnits[1].agents[0].email',
        'businessUnits[1].webhook.url',
        'businessUnits[1].webhook.secrets[0]',
        'apiKeys[0].businessUnits',
        'apiKeys[0]',
        'apiKeys[1]',
        'apiKeys[1].businessUnits[0]',
        'rateLimits',
      ].toSorted(),
    );
  });

  it('R-54 limits a webhook URL to 2,000 bytes', () => {
    const at = (url: string): string[] =>
      problemsOf({ businessUnits: [{ ...unit, webhook: { url, secrets: ['whsec_AAAA'] } }] });
    const long = 'https://pay.example.com/'.padEnd(2_000, 'x');
    expect(at(long)).toEqual([]);
    const problem = 'businessUnits[0].webhook.url: must be at most 2000 bytes long';
    expect(at(`${long}x`)).toEqual([problem]);
    expect(at(long.replace(/x$/, 'é'))).toEqual([problem]);
  });

  it('R-9 names an unknown key by its own path', () => {
    expect(problemsOf({ businessUnits: [{ ...unit, colour: 'blue', size: 1 }], more: {} })).toEqual([
      'businessUnits[0].colour: unknown setting',
      'businessUnits[0].size: unknown setting',
      'more: unknown setting',
    ]);
  });

  it.each(['stg_hunter2', 'postgres://u:hunter2@h/d', 'hunter2aGVsbG8='])(
    'R-50 does not repeat %s, which is no name of a text',
    (key) => {
      const of = (en: unknown): string[] => problemsOf({ businessUnits: [{ ...unit, messages: { en } }] });
      const at = 'businessUnits[0].messages.en.…';
      expect([...of({ [key]: 'Pay' }), ...of({ [key]: 1 })]).toEqual([
        `${at}: there is no such text`,
        `${at}: must be a string`,
      ]);
      expect(of({ 'payment.none': 'Pay' })).toEqual([
        'businessUnits[0].messages.en.payment.none: there is no such text',
      ]);
    },
  );

  it('R-9 explains problems in plain words', () => {
    expect(
      problemsOf({
        businessUnits: [
          { slug: 'water', paymentMethods: ['Cash'], allowAmountAdjustment: 'yes', agents: {} },
          { slug: 'gas', name: '', paymentFields: [{ key: 'k'.repeat(101), label: 'K' }] },
          7,
        ],
        apiKeys: [{ businessUnits: [], note: 1 }],
        rateLimit: { perSecond: 0, burst: 1.5 },
      }),
    ).toEqual([
      'businessUnits[0].name: is required',
      'businessUnits[0].paymentMethods[0]: must be "Credit Card" or "ACH"',
      'businessUnits[0].allowAmountAdjustment: must be true or false',
      'businessUnits[0].agents: must be an array',
      'businessUnits[1].name: must not be empty',
      'businessUnits[1].paymentFields[0].key: takes at most 100 characters',
      'businessUnits[2]: must be an object',
      'apiKeys[0].businessUnits: needs at least 1 item',
      'apiKeys[0].note: unknown setting',
      'apiKeys[0]: needs exactly one of "key" and "keyHash"',
      'rateLimit.perSecond: must be more than 0',
      'rateLimit.burst: must be a whole number',
    ]);
    expect(problemsOf('x')).toEqual(['(top level): must be an object']);
  });

  it('R-9 accepts a plaintext key of any length', () => {
    expect(
      parseConfig({ businessUnits: [unit], apiKeys: [{ key: 'k', businessUnits: ['water'] }] }, 'staging')
        .apiKeys,
    ).toHaveLength(1);
  });

  it('R-54 accepts a base64 webhook secret of any length, but only a long one in production', () => {
    const secrets = ['whsec_dGVzdA==', 'whsec_dGVzdA', 'whsec_AAAAA', 'whsec_', 'whsec_AA=', 'whsec_test-it'];
    const config = { businessUnits: [{ ...unit, webhook: { url: 'https://x.example', secrets } }] };
    const at = (places: number[]) => places.map((place) => `businessUnits[0].webhook.secrets[${place}]`);
    expect(pathsOf(config)).toEqual(at([2, 3, 4, 5]));
    expect([...new Set(pathsOf(config, 'production'))].toSorted()).toEqual(at([0, 1, 2, 3, 4, 5]));
  });

  it('R-9 rejects a key in two entries without repeating it', () => {
    const apiKeys = [
      { key: 'stg_very_secret', businessUnits: ['water'] },
      { key: 'stg_another', businessUnits: ['water'] },
      { keyHash: hashKey('stg_very_secret'), businessUnits: ['water'] },
    ];
    expect(problemsOf({ businessUnits: [unit], apiKeys })).toEqual(['apiKeys[2]: duplicates an earlier one']);
  });

  it('R-28 R-25 rejects a duplicate method or agent', () => {
    const agents = [
      { email: 'ada@example.com', pos: true },
      { email: 'Ada@Example.com', pos: false },
    ];
    expect(problemsOf({ businessUnits: [{ ...unit, paymentMethods: ['ACH', 'ACH'], agents }] })).toEqual([
      'businessUnits[0].paymentMethods[1]: duplicates an earlier one',
      'businessUnits[0].agents[1].email: duplicates an earlier one',
    ]);
  });

  it.each([
    [{ businessUnits: [unit], [SECRET]: [] }],
    [{ businessUnits: [{ ...unit, [SECRET]: true }] }],
    [{ businessUnits: [{ ...unit, webhook: { url: 'https://a.example', secrets: [SECRET, SECRET] } }] }],
    [{ businessUnits: [unit], apiKeys: [{ keyHash: SECRET, businessUnits: [SECRET] }] }],
    [{ businessUnits: [unit], apiKeys: { [SECRET]: ['water'] } }],
    [
      {
        businessUnits: [
          { ...unit, slug: SECRET },
          { ...unit, slug: SECRET },
        ],
      },
    ],
  ])('R-50 does not repeat a misplaced key', (config) => {
    const problems = problemsOf(config);
    expect(problems).not.toEqual([]);
    expect(problems.join()).not.toContain(SECRET.slice(6, 20));
  });

  it('R-9 rejects inconsistent settings', () => {
    expect(
      problemsOf({
        businessUnits: [unit, { ...unit, paymentFields: [1, 2].map(() => ({ key: 'a', label: 'A' })) }],
        apiKeys: [{ keyHash: hash, businessUnits: ['gas'] }],
      }),
    ).toEqual([
      'businessUnits[1].slug: duplicates an earlier one',
      'businessUnits[1].paymentFields[1].key: duplicates an earlier one',
      'apiKeys[0].businessUnits[0]: no business unit has this slug',
    ]);
    expect(
      pathsOf(
        {
          businessUnits: [{ ...unit, logoUrl: 'x' }, unit],
          apiKeys: [{ key: 'prd_1', businessUnits: ['water'] }],
        },
        'production',
      ),
    ).toEqual(['businessUnits[0].logoUrl', 'businessUnits[1].slug', 'apiKeys[0].key']);
    for (const odd of [null, [], 'x', { businessUnits: {} }, { apiKeys: [null] }])
      expect(problemsOf(odd)).not.toEqual([]);
  });

  it.each([
    ['smtp://me:secret@mail.example', 'smtp://me:secret@mail.example?requireTLS=true'],
    ['smtp://mail.example/?requireTLS=false', undefined],
    ['smtps://mail.example', undefined],
    ['smtp://localhost:2525', undefined],
  ])('R-104 in production, mail to %s is encrypted', (smtp, expected = smtp) => {
    const given = parseConfig(
      { businessUnits: [unit], email: { from: 'bills@water.example' } },
      'production',
    );
    expect(withSmtp(given, smtp, 'production').email?.smtp).toBe(expected);
    expect(withSmtp(given, smtp, 'staging').email?.smtp).toBe(smtp);
  });

  it.each(['https://a;sandbox', 'https://*', "https://a'b", 'https://a,b'])(
    'R-92 refuses %s, which would change a Content-Security-Policy',
    (origin) => {
      const config = {
        businessUnits: [{ ...unit, allowedOrigins: [origin], logoUrl: `${origin}/logo.svg` }],
      };
      expect(pathsOf(config)).toEqual(['businessUnits[0].allowedOrigins[0]', 'businessUnits[0].logoUrl']);
      expect(pathsOf({ businessUnits: [{ ...unit, logoUrl: 'blob:https://a.example/1' }] })).toHaveLength(1);
    },
  );

  it('accepts http: in production for loopback only, and names each violation', () => {
    const unsafe = {
      ...unit,
      allowedOrigins: ['https://a.example', 'http://a.example', 'http://localhost:5173'],
      webhook: { url: 'http://10.0.0.1/hook', secrets: [`whsec_${'A'.repeat(40)}`] },
      logoUrl: 'http://a.example/logo.svg',
      links: { account: 'http://a.example/pay', terms: 'https://a.example/terms' },
    };
    const sms = { url: 'http://gateway.example/sms', secrets: [`whsec_${'A'.repeat(40)}`] };
    const config = { businessUnits: [unsafe], sms };
    expect(pathsOf(config)).toEqual([]);
    expect(pathsOf(config, 'production')).toEqual([
      ...['allowedOrigins[1]', 'webhook.url', 'logoUrl', 'links.account'].map(
        (path) => `businessUnits[0].${path}`,
      ),
      'sms.url',
    ]);
    const local = (host: string) => ({
      businessUnits: [
        {
          ...unsafe,
          allowedOrigins: [],
          logoUrl: 'data:image/png;base64,AA',
          links: { account: `http://${host}/pay` },
          webhook: { ...unsafe.webhook, url: `http://${host}:9/` },
        },
      ],
    });
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '[::1]'])
      expect(pathsOf(local(host), 'production')).toEqual([]);
    for (const host of ['localhost.example', '127.0.0.1.example', '[::2]', '0.0.0.0'])
      expect(pathsOf(local(host), 'production')).toEqual(
        ['webhook.url', 'links.account'].map((path) => `businessUnits[0].${path}`),
      );
  });

  it('R-65 is validated in linear time', () => {
    const many = (count: number): unknown => ({
      businessUnits: Array.from({ length: count }, (_, index) => ({ slug: `unit-${index}`, name: 'Unit' })),
      apiKeys: Array.from({ length: count }, (_, index) => ({
        key: `stg_${index}`,
        businessUnits: [`unit-${index}`],
      })),
    });
    const millisecondsFor = (count: number): number => {
      const config = many(count);
      const before = process.cpuUsage();
      parseConfig(config, 'staging');
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    millisecondsFor(2_000);
    const few = millisecondsFor(5_000);
    // With pairwise comparison, ten times the entries would take a hundred times as long.
    expect(millisecondsFor(50_000) / few).toBeLessThan(35);
  });

  it('R-50 accepts a plaintext key only outside production, and never repeats it', () => {
    const config = { businessUnits: [unit], apiKeys: [{ key: 'prd_very_secret', businessUnits: ['water'] }] };
    expect(problemsOf(config, 'staging')).toEqual([]);
    expect(pathsOf(config, 'production')).toEqual(['apiKeys[0].key']);
    expect(problemsOf(config, 'production').join('')).not.toContain('very_secret');
    expect(
      problemsOf({ ...config, apiKeys: [{ keyHash: hash, businessUnits: ['water'] }] }, 'production'),
    ).toEqual([]);
    const blank = { ...config, apiKeys: [{ key: 'very secret', businessUnits: ['water'] }] };
    expect(problemsOf(blank).join('')).not.toContain('very secret');
  });

  it('names an unreadable file without quoting its content', () => {
    const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-config-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'c.json');
    expect(() => readConfig(file, 'staging')).toThrow(/c\.json cannot be read/);
    writeFileSync(file, '{"apiKeys":[{"key":"stg_very_secret"');
    expect(() => readConfig(file, 'staging')).toThrow(/c\.json is not JSON/);
    expect(() => readConfig(file, 'staging')).not.toThrow(/very_secret/);
    writeFileSync(file, '{\n  "apiKeys": [],\n}');
    expect(() => readConfig(file, 'staging')).toThrow(/c\.json is not JSON: look at line 3\.$/);
    // Windows editors write a byte order mark.
    writeFileSync(file, `\uFEFF${JSON.stringify({ businessUnits: [unit] })}`);
    expect(readConfig(file, 'staging').businessUnits).toMatchObject([unit]);
  });
});
