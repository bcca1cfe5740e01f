import { describe, expect, it } from 'vitest';
import { readSessionUrl, type SdkConfig } from './session-url.js';

const staging: SdkConfig = { environment: 'staging', base: 'https://staging.pay.example/api' };
const read = (url: unknown, config: SdkConfig = staging): unknown => readSessionUrl(url, config);

it('R-1 parses the id and origin of a session of its own service', () => {
  expect(read('https://staging.pay.example/api/s/stg_abc#secret')).toEqual({
    url: 'https://staging.pay.example/api/s/stg_abc#secret',
    id: 'stg_abc',
    origin: 'https://staging.pay.example',
  });
});

describe.each([
  ['another host', 'https://pay.example/api/s/prd_abc#topsecret', 'production'],
  ['a look-alike host', 'https://staging.pay.example.evil.test/api/s/stg_abc#topsecret', undefined],
  ['another port', 'https://staging.pay.example:444/api/s/stg_abc#topsecret', undefined],
  ['another scheme', 'http://staging.pay.example/api/s/stg_abc#topsecret', undefined],
  ['a path outside the base', 'https://staging.pay.example/s/stg_abc#topsecret', undefined],
  ['a path that only begins alike', 'https://staging.pay.example/api/sx/stg_abc#topsecret', undefined],
  ['credentials', 'https://user:pw@staging.pay.example/api/s/stg_abc#topsecret', undefined],
  [
    "the other environment's id on a shared host",
    'https://staging.pay.example/api/s/prd_abc#topsecret',
    'production',
  ],
  ['a script URL', 'javascript:alert(1)', undefined],
])('%s', (_, url, environment) => {
  it('R-7 is refused with both environments and without the secret', () => {
    const found = environment ?? new URL(url).origin;
    const error = caught(() => read(url));
    expect(error).toMatchObject({ code: 'environment_mismatch', details: { expected: 'staging', found } });
    expect(String(error)).toContain('staging');
    expect(String(error)).toContain(found);
    expect(JSON.stringify(error) + String(error)).not.toContain('topsecret');
  });
});

it('R-7 production refuses a staging session as well', () => {
  const production: SdkConfig = { environment: 'production', base: 'https://pay.example' };
  expect(caught(() => read('https://pay.example/s/stg_abc#x', production))).toMatchObject({
    code: 'environment_mismatch',
    details: { expected: 'production', found: 'staging' },
  });
});

it.each([undefined, null, '', '/s/stg_abc', {}, 'https://staging.pay.example/api/s/'])(
  'R-1 %j is no session URL',
  (value) => {
    expect(caught(() => read(value))).toMatchObject({ code: 'unknown_session_url' });
  },
);

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
