import { expect, it } from 'vitest';
import { serversOf } from '../postgres.js';

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
  ['postgres:///pay?host=/run/pg&user=app', ['postgres:///pay?host=/run/pg&user=app']],
])('%s names its servers', (database, servers) => {
  expect(serversOf(database)).toEqual(servers);
});
