import { expect, it } from 'vitest';
import { openDatabase } from './open.js';

const ADDRESSES = [
  'postgres://app:hunter2@127.0.0.1:1/pay',
  'postgres://app:hunt:er@2@127.0.0.1:1,127.0.0.1:2/pay',
  'postgres:///pay?host=127.0.0.1&port=1&user=app&password=hunter2',
];

it('tells no password when a database cannot be opened', async () => {
  const opened = await Promise.allSettled(ADDRESSES.map((database) => openDatabase(database)));
  for (const one of opened) {
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'database_unavailable' } });
    const { message } = (one as PromiseRejectedResult).reason as Error;
    expect(message).toContain('ECONNREFUSED');
    expect(message).not.toContain('hunt');
  }
});
