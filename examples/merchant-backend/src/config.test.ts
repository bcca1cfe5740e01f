import { expect, it } from 'vitest';
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

it('R-8 finds the environment by the three variables', () => {
  expect(readConfig(STAGING).environment).toBe('staging');
  expect(readConfig(PRODUCTION).environment).toBe('production');
});

it.each([
  [{}, /SERVICE_API_KEY/],
  [{ ...STAGING, SERVICE_BASE_URL: PRODUCTION.SERVICE_BASE_URL }, /same environment/],
  [{ ...STAGING, SERVICE_BASE_URL: 'http://elsewhere.example' }, /same environment/],
])('R-7 refuses to start with %o', (env, message) => {
  expect(() => readConfig(env)).toThrow(message);
});
