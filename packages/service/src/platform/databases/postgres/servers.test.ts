import { expect, it } from 'vitest';
import { serversOf } from './servers.js';

const addresses = (database: string): string[] =>
  serversOf(database).map(({ connectionString }) => connectionString);

it.each([
  ['postgres://one/pay', ['postgres://one/pay']],
  [
    'postgresql://app:p@ss@one,two:5433/pay?target_session_attrs=read-write',
    [
      'postgresql://app:p@ss@one/pay?target_session_attrs=read-write',
      'postgresql://app:p@ss@two:5433/pay?target_session_attrs=read-write',
    ],
  ],
  ['postgres://[::1]:5432,[::2]:5433/pay', ['postgres://[::1]:5432/pay', 'postgres://[::2]:5433/pay']],
  [
    'postgres:///pay?host=one,/run/pg&port=1,2&user=app',
    ['postgres:///pay?host=one&port=1&user=app', 'postgres:///pay?host=%2Frun%2Fpg&port=2&user=app'],
  ],
  [
    'postgres:///pay?host=one,two&port=1',
    ['postgres:///pay?host=one&port=1', 'postgres:///pay?host=two&port=1'],
  ],
])('%s names its servers', (database, servers) => {
  expect(addresses(database)).toEqual(servers);
});
