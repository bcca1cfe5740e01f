import { describe, expect, it } from 'vitest';
import { readConfig } from './config.js';

const STAGING = {
  SERVICE_API_KEY: 'stg_key',
  SERVICE_LOADER_URL: 'http://127.0.0.1:4100/app/embedded.loader.js',
  SERVICE_BASE_URL: 'http://127.0.0.1:4100',
};
const PRODUCTION = {
  SERVICE_API_KEY: 'prd_key',
  SERVICE_LOADER_URL: 'http://127.0.0.1:4200/app/embedded.loader.js',
  SERVICE_BASE_URL: 'http://127.0.0.1:4200',
};

describe('settings', () => {
  it('R-8 changes only three variables between staging and production', () => {
    const { environment: from, apiKey: _a, loaderUrl: _b, baseUrl: _c, ...before } = readConfig(STAGING);
    const { environment: to, apiKey, loaderUrl, baseUrl, ...after } = readConfig(PRODUCTION);
    expect([from, to]).toEqual(['staging', 'production']);
    expect({ apiKey, loaderUrl, baseUrl }).toEqual({
      apiKey: PRODUCTION.SERVICE_API_KEY,
      loaderUrl: PRODUCTION.SERVICE_LOADER_URL,
      baseUrl: PRODUCTION.SERVICE_BASE_URL,
    });
    expect(after).toEqual(before);
  });

  it('R-7 refuses to start with the loader of one environment and the API of the other', () => {
    expect(() => readConfig({ ...STAGING, SERVICE_BASE_URL: PRODUCTION.SERVICE_BASE_URL })).toThrow(
      /different environments/,
    );
  });

  it.each([
    [{}, /SERVICE_API_KEY is not set\n.*SERVICE_LOADER_URL is not set\n.*SERVICE_BASE_URL is not set/],
    [{ ...STAGING, SERVICE_BASE_URL: 'http://elsewhere.example' }, /SERVICE_BASE_URL is not the staging URL/],
    [
      { SERVICE_API_KEY: 'k', SERVICE_LOADER_URL: 'http://a.example', SERVICE_BASE_URL: 'http://b.example' },
      /are not in operator.json/,
    ],
  ])('lists every problem of %o', (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });
});
