import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { environmentOf, readEnvironments, sessionUrlOf, type EnvironmentOptions } from './environment.js';
import { isLoaderError } from './error.js';

const STAGING = 'https://pay.staging.example.com/app/embedded.loader.js';
const PRODUCTION = 'https://pay.example.com/app/embedded.loader.js';
const BOTH = { loaderUrls: { staging: STAGING, production: PRODUCTION } };

const refusal = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (isLoaderError(error)) return error;
    throw error;
  }
  throw new Error('not refused');
};

describe('the environment of a loader', () => {
  it.each<[string, EnvironmentOptions]>([
    ['environment and loaderUrl', { environment: 'staging', loaderUrl: STAGING }],
    ['environment and loaderUrls', { environment: 'staging', ...BOTH }],
    ['a loaderUrl found in loaderUrls', { loaderUrl: STAGING, ...BOTH }],
    ['all three in agreement', { environment: 'staging', loaderUrl: STAGING, ...BOTH }],
  ])('R-8 is read from %s', (_, options) => {
    const place = readEnvironments(options);
    expect(place.environment).toBe('staging');
    expect(place.loaderUrl?.href).toBe(STAGING);
  });

  it.each<[string, unknown]>([
    [
      'a loaderUrl that is none of loaderUrls',
      { loaderUrl: 'https://x.test/app/embedded.loader.js', ...BOTH },
    ],
    ['a loaderUrl without an environment', { loaderUrl: STAGING }],
    [
      'a loaderUrl other than the one listed',
      { environment: 'staging', loaderUrl: 'https://x.test/app/embedded.loader.js', ...BOTH },
    ],
    ['an environment that takes no payments', { environment: 'development', loaderUrl: STAGING }],
    [
      'http: beyond loopback',
      { environment: 'staging', loaderUrl: 'http://pay.test/app/embedded.loader.js' },
    ],
    [
      'a name that only begins like loopback',
      { environment: 'staging', loaderUrl: 'http://127.0.0.1.evil.test/app/embedded.loader.js' },
    ],
    [
      'localhost in the user name',
      { environment: 'staging', loaderUrl: 'http://localhost:80@evil.test/app/embedded.loader.js' },
    ],
    ['javascript:', { environment: 'staging', loaderUrl: 'javascript:1//app/embedded.loader.js' }],
    ['a relative URL', { environment: 'staging', loaderUrl: '/app/embedded.loader.js' }],
    ['another path', { environment: 'staging', loaderUrl: 'https://pay.test/sdk.js' }],
    ['a user name', { environment: 'staging', loaderUrl: 'https://a:b@pay.test/app/embedded.loader.js' }],
    ['a user name alone', { environment: 'staging', loaderUrl: 'https://a@pay.test/app/embedded.loader.js' }],
    ['a password alone', { environment: 'staging', loaderUrl: 'https://:b@pay.test/app/embedded.loader.js' }],
    [
      'http: with https: in its path',
      { environment: 'staging', loaderUrl: 'http://pay.test/https:/app/embedded.loader.js' },
    ],
    [
      'another scheme with loopback in its path',
      { environment: 'staging', loaderUrl: 'ftp://pay.test/http://localhost/app/embedded.loader.js' },
    ],
    [
      'one prefix for both environments, by any number of slashes at its end',
      {
        ...BOTH,
        environment: 'staging',
        sessionPrefixes: { staging: ['https://s.test/a//'], production: ['https://s.test/a'] },
      },
    ],
    [
      'one URL for both environments',
      { environment: 'staging', loaderUrls: { staging: STAGING, production: STAGING } },
    ],
    [
      'one prefix for both environments',
      {
        ...BOTH,
        environment: 'staging',
        sessionPrefixes: { staging: ['https://s.test/a/'], production: ['https://s.test/a'] },
      },
    ],
    [
      'a prefix that is no URL',
      { ...BOTH, environment: 'staging', sessionPrefixes: { staging: ['s.test'] } },
    ],
  ])('refuses %s as invalid_options', (_, options) => {
    expect(refusal(() => readEnvironments(options as EnvironmentOptions)).code).toBe('invalid_options');
  });

  it.each<[unknown, RegExp]>([
    [{ environment: 'development', loaderUrl: STAGING }, /^environment must be staging or production\./],
    [
      { environment: 'staging', loaderUrl: 'https://pay.test/sdk.js' },
      /^loaderUrl must be .* that ends in \/app\/embedded\.loader\.js\. /,
    ],
    [
      { ...BOTH, environment: 'staging', sessionPrefixes: { staging: ['s.test'] } },
      /^sessionPrefixes\.staging must be an absolute https: URL \(http: on loopback\)\. /,
    ],
    [{ environment: 'staging', loaderUrls: { staging: 'nowhere' } }, /^loaderUrls\.staging must be an abs/],
    [
      { environment: 'staging', loaderUrls: { staging: STAGING, production: STAGING } },
      /^https:\/\/pay\.staging\.example\.com is listed for both environments\./,
    ],
  ])('R-61 explains what is wrong with %j', (options, message) => {
    expect(refusal(() => readEnvironments(options as EnvironmentOptions)).message).toMatch(message);
  });

  it('R-7 refuses a loaderUrl that is listed for the other environment, and names both', () => {
    for (const [environment, loaderUrl, found] of [
      ['staging', PRODUCTION, 'production'],
      ['production', STAGING, 'staging'],
    ] as const) {
      const error = refusal(() => readEnvironments({ environment, loaderUrl, ...BOTH }));
      expect(error.code).toBe('environment_mismatch');
      expect(error.details).toEqual({ expected: environment, found });
      expect(error.message).toContain(environment);
      expect(error.message).toContain(`its loaderUrl is for ${found}`);
    }
  });

  it('accepts http: on loopback in every spelling', () => {
    for (const host of [
      'localhost:1',
      '127.0.0.1:4100',
      '127.10.20.30',
      '127.1',
      '[::1]:80',
      'pay.localhost',
    ])
      expect(
        readEnvironments({ environment: 'staging', loaderUrl: `http://${host}/app/embedded.loader.js` })
          .environment,
      ).toBe('staging');
  });
});

describe('the environment of a session', () => {
  it.each([
    ['https://pay.staging.example.com/s/stg_1#secret', 'staging'],
    ['https://pay.example.com/s/prd_1#secret', 'production'],
    ['HTTPS://PAY.EXAMPLE.COM/s/prd_1', 'production'],
    ['https://pay.example.com:443/s/prd_1', 'production'],
    ['  https://pay.example.com/s/prd_1  ', 'production'],
    ['https://pay.example.com', 'production'],
    ['https://pay.example.com?a=/b', 'production'],
    ['https://pay.example.com.evil.test/s/prd_1', null],
    ['https://staging.example.com.evil.test/s/1', null],
    ['https://pay.example.com.:443/s/prd_1', null],
    ['https://pay.example.com:8443/s/prd_1', null],
    ['http://pay.example.com/s/prd_1', null],
    ['https://user@pay.example.com/s/prd_1', null],
    ['https://user:pass@pay.example.com/s/prd_1', null],
    ['https://pay.example.com@evil.test/s/prd_1', null],
    ['https://evil.test/?https://pay.example.com/s/prd_1', null],
    ['https://evil.test/#https://pay.example.com/s/prd_1', null],
    ['https://evil.test/https://pay.example.com/s/prd_1', null],
    ['https://pаy.example.com/s/prd_1', null], // a Cyrillic а: xn--py-7kc…
    ['https://xn--pay-example-com.test/s/prd_1', null],
    ['https://evilpay.example.com/s/prd_1', null],
    ['blob:https://pay.example.com/5f2d', null],
    ['data:text/html,https://pay.example.com/', null],
    ['javascript:alert(1)//pay.example.com/', null],
    ['//pay.example.com/s/prd_1', null],
    ['', null],
    ['https://', null],
  ])('R-7 %s belongs to %s', (url, environment) => {
    expect(environmentOf(url, BOTH)).toBe(environment);
  });

  const SHARED = {
    loaderUrls: {
      staging: 'https://pay.test/staging/app/embedded.loader.js',
      production: 'https://pay.test/live/app/embedded.loader.js',
    },
  };
  it.each([
    ['https://pay.test/staging/s/1', 'staging'],
    ['https://pay.test/live/s/1', 'production'],
    ['https://pay.test/stagingx/s/1', null],
    ['https://pay.test/staging', 'staging'],
    ['https://pay.test/live?a=1', 'production'],
    ['https://pay.test/live#a', 'production'],
    ['https://pay.test/s/1', null],
    ['https://pay.test/live/../staging/s/1', 'staging'],
    ['https://pay.test/live/%2e%2e/staging/s/1', 'staging'],
    ['https://pay.test/live/..%2fstaging/s/1', null],
    ['https://pay.test/live/..%5Cstaging/s/1', null],
    ['https://pay.test\\live\\s', 'production'],
    ['https://pay.test/Live/s/1', null],
    ['https://pay.test/x?/live/s', null],
  ])('R-7 on a host shared by both environments, %s belongs to %s', (url, environment) => {
    expect(environmentOf(url, SHARED)).toBe(environment);
  });

  it('R-7 distinguishes prefixes that differ only in case, and matches neither for a third spelling', () => {
    const options: EnvironmentOptions = {
      loaderUrls: {
        staging: 'https://pay.test/Pay/app/embedded.loader.js',
        production: 'https://pay.test/pay/app/embedded.loader.js',
      },
    };
    const found = ['Pay', 'pay', 'PAY'].map((path) => environmentOf(`https://pay.test/${path}/s/1`, options));
    expect(found).toEqual(['staging', 'production', null]);
  });

  it('R-7 prefers the longest match', () => {
    const options: EnvironmentOptions = {
      environment: 'staging',
      loaderUrl: 'https://pay.test/app/embedded.loader.js',
      sessionPrefixes: { production: ['https://pay.test/live/'] },
    };
    expect(environmentOf('https://pay.test/s/1', options)).toBe('staging');
    expect(environmentOf('https://pay.test/live/s/1', options)).toBe('production');
    expect(environmentOf('https://pay.test/lively/s/1', options)).toBe('staging');
  });

  it('R-7 never accepts a look-alike of an environment', () => {
    const hosts = ['pay.example.com', 'pay.staging.example.com'];
    const noise = fc.stringMatching(/^[a-z0-9@:%._~!$&'()*+,;=-]{1,12}$/);
    fc.assert(
      fc.property(
        fc.constantFrom(...hosts),
        noise,
        fc.boolean(),
        fc.constantFrom('https:', 'http:', 'ftp:', 'wss:'),
        (host, extra, before, scheme) => {
          const url = `${scheme}//${before ? extra + host : host + extra}/s/1`;
          const found = environmentOf(url, BOTH);
          if (found === null) return;
          // The browser would go to exactly this origin.
          const parsed = new URL(url);
          expect(parsed.origin).toBe(
            found === 'production' ? 'https://pay.example.com' : 'https://pay.staging.example.com',
          );
          expect(parsed.username + parsed.password).toBe('');
        },
      ),
      { numRuns: 500 },
    );
  });

  it('does not throw for hostile URLs', () => {
    fc.assert(
      fc.property(
        // Also half surrogates. fast-check's own binary strings first make a table of a million characters.
        fc
          .array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 40 })
          .map((units) => `https://${String.fromCharCode(...units)}`),
        (url) => {
          expect(['staging', 'production', null]).toContain(environmentOf(url, BOTH));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('opening a session', () => {
  const place = readEnvironments({ environment: 'staging', ...BOTH });
  const { environment } = place;
  const read = (session: unknown) => sessionUrlOf(session as string, environment!, place);

  it('R-7 returns the URL of a session of the right environment', () => {
    expect(read('https://pay.staging.example.com/s/stg_1#secret')).toBe(
      'https://pay.staging.example.com/s/stg_1#secret',
    );
    expect(read({ sessionUrl: 'https://pay.staging.example.com/s/1', environment: 'staging' })).toContain(
      '/s/1',
    );
  });

  it.each([
    ['its URL', 'https://pay.example.com/s/prd_1#secret'],
    ['its own word', { sessionUrl: 'https://pay.staging.example.com/s/1#secret', environment: 'production' }],
    ['both', { sessionUrl: 'https://pay.example.com/s/1#secret', environment: 'production' }],
  ])('R-7 refuses a session of the other environment by %s', (_, session) => {
    const error = refusal(() => read(session));
    expect(error.code).toBe('environment_mismatch');
    expect(error.details).toEqual({ expected: 'staging', found: 'production' });
    expect(error.message).toContain('This loader is for staging, but the session is for production');
  });

  it('R-7 recognizes a session of the other environment by its id if nothing else names the environment', () => {
    const alone = readEnvironments({
      environment: 'staging',
      loaderUrl: 'https://pay.staging.example.com/app/embedded.loader.js',
    });
    const error = refusal(() => sessionUrlOf('https://pay.example.com/s/prd_1kb9x#secret', 'staging', alone));
    expect(error.code).toBe('environment_mismatch');
    expect(error.details).toEqual({ expected: 'staging', found: 'production' });

    for (const url of [
      'https://pay.example.com/s/stg_1kb9x',
      'https://pay.example.com/s/xprd_1',
      'https://pay.example.com/prd_1',
      'https://pay.example.com/s/prd_1/receipt',
    ])
      expect(refusal(() => sessionUrlOf(url, 'staging', alone)).code).toBe('unknown_session_url');
  });

  it.each(['https://evil.test/s/1#secret', 'https://a:b@pay.staging.example.com/s/1#secret'])(
    'R-7 refuses a session of an unknown environment and mentions sessionPrefixes: %s',
    (url) => {
      const error = refusal(() => read(url));
      expect(error.code).toBe('unknown_session_url');
      expect(error.details).toEqual({ expected: 'staging', found: new URL(url).origin });
      expect(error.message).toContain('sessionPrefixes');
      expect(JSON.stringify(error) + error.message + JSON.stringify(error.details)).not.toMatch(
        /secret|s\/1|a:b/,
      );
    },
  );

  it.each([
    undefined,
    null,
    '',
    1,
    {},
    [],
    'stg_1',
    '/s/1',
    'http://pay.staging.example.com/s/1',
    'javascript:alert(1)',
    Symbol('x'),
  ])('refuses %s as invalid_options', (session) => {
    const { code, message } = refusal(() => read(session));
    expect([code, message.split(' https://')[0]]).toEqual([
      'invalid_options',
      'sessionUrl must be an absolute https: URL (http: on loopback).',
    ]);
  });
});

describe('a polluted prototype', () => {
  const polluted = Object.prototype as Record<string, unknown>;
  afterEach(() => {
    for (const key of [
      'environment',
      'loaderUrl',
      'loaderUrls',
      'sessionPrefixes',
      'production',
      'staging',
      'sessionUrl',
    ])
      delete polluted[key];
  });

  it('R-7 adds no options', () => {
    polluted['environment'] = 'production';
    polluted['loaderUrl'] = 'https://evil.test/app/embedded.loader.js';
    polluted['sessionPrefixes'] = { staging: ['https://evil.test'] };
    polluted['production'] = 'https://evil.test/app/embedded.loader.js';
    const options = { loaderUrls: { staging: STAGING } };
    expect(readEnvironments({ ...options, environment: 'staging' }).loaderUrl?.href).toBe(STAGING);
    expect(readEnvironments(options).environment).toBeUndefined();
    expect(environmentOf('https://evil.test/s/1', options)).toBeNull();
    const place = readEnvironments({ ...options, environment: 'staging' });
    expect(sessionUrlOf({ sessionUrl: 'https://pay.staging.example.com/s/1' }, 'staging', place)).toContain(
      '/s/1',
    );
  });

  it('ignores a __proto__ key of parsed JSON', () => {
    const options = JSON.parse(
      `{"__proto__": {"environment": "production"}, "loaderUrls": {"staging": "${STAGING}"}}`,
    );
    expect(readEnvironments(options).environment).toBeUndefined();
  });
});

describe('R-7 a path that a lenient server resolves to the other environment', () => {
  const loaderUrls = {
    staging: 'https://pay.example.com/staging/app/embedded.loader.js',
    production: 'https://pay.example.com/app/embedded.loader.js',
  };
  it.each([
    '/%73taging/s/1',
    '/%2573taging/s/1',
    '//staging/s/1',
    '/Staging/s/1',
    '/STAGING',
    '/staging;v=1/s/1',
    '/x/%252e%252e/staging/s/1',
    '/x%5c..%5cstaging/s/1',
    '/%zz/../%73taging/s/1',
  ])('%s is not accepted as production', (path) => {
    const url = `https://pay.example.com${path}`;
    expect(environmentOf(url, { loaderUrls })).not.toBe('production');
    const place = readEnvironments({ environment: 'production', loaderUrls });
    expect(refusal(() => sessionUrlOf(url, 'production', place)).code).toBe('environment_mismatch');
  });

  it.each(['/%23/%252e%252e/live/s/1', '/a%3f/%252e%252e/live/s/1', '/l%69ve/%252e%252e/s/1'])(
    '%s is not accepted as staging, because a server may decode it less',
    (path) => {
      const loaderUrls = {
        staging: 'https://pay.example/app/embedded.loader.js',
        production: 'https://pay.example/live/app/embedded.loader.js',
      };
      const url = `https://pay.example${path}`;
      expect(environmentOf(url, { loaderUrls })).not.toBe('staging');
      const place = readEnvironments({ environment: 'staging', loaderUrls });
      expect(refusal(() => sessionUrlOf(url, 'staging', place)).code).toMatch(/unknown_session_url|mismatch/);
    },
  );

  it.each([
    ['escapes', `/s/%${'25'.repeat(50_000)}41`],
    ['slashes', '/'.repeat(100_000)],
    ['secrets', `/s/prd_1?${'%25'.repeat(1_400)}`],
  ])('R-91 refuses a long URL of %s at once', (_, path) => {
    const started = performance.now();
    expect(environmentOf(`https://pay.example.com${path}`, { loaderUrls })).toBeNull();
    expect(performance.now() - started).toBeLessThan(100);
  });

  it('accepts a session URL of 4,096 characters', () => {
    const place = readEnvironments({ environment: 'production', loaderUrls });
    const url = 'https://pay.example.com/s/1?token='.padEnd(4_096, 'x');
    expect(sessionUrlOf(url, 'production', place)).toBe(url);
  });

  it('accepts a path that lenient and strict servers resolve to the environment', () => {
    const place = readEnvironments({ environment: 'staging', loaderUrls });
    const url = 'https://pay.example.com/staging/s/1?a=%20#x';
    expect(sessionUrlOf(url, 'staging', place)).toBe(url);
    expect(environmentOf('https://pay.example.com/stagings/1', { loaderUrls })).toBe('production');
  });
});

describe('allowInsecure', () => {
  const loaderUrl = 'http://pay.lan:8080/app/embedded.loader.js';
  it('permits http: on any host for staging, but never for production', () => {
    const place = readEnvironments({ environment: 'staging', loaderUrl, allowInsecure: true });
    expect(sessionUrlOf('http://pay.lan:8080/s/1', 'staging', place)).toContain('pay.lan');
    const refused: EnvironmentOptions[] = [
      { environment: 'staging', loaderUrl },
      { environment: 'production', loaderUrl, allowInsecure: true },
      {
        environment: 'staging',
        loaderUrls: { staging: loaderUrl, production: loaderUrl },
        allowInsecure: true,
      },
    ];
    for (const options of refused)
      expect(refusal(() => readEnvironments(options)).code).toBe('invalid_options');
  });
  it.each(['ftp', 'ws', 'httpx'])('R-2 permits no insecure scheme except http: %s:', (scheme) => {
    const elsewhere = `${scheme}://pay.lan:8080/app/embedded.loader.js`;
    const options: EnvironmentOptions = { environment: 'staging', loaderUrl: elsewhere, allowInsecure: true };
    expect(refusal(() => readEnvironments(options)).code).toBe('invalid_options');
    const place = readEnvironments({ ...options, loaderUrl });
    const session = `${scheme}://pay.lan:8080/s/1`;
    expect(refusal(() => sessionUrlOf(session, 'staging', place)).code).toBe('invalid_options');
  });
});
