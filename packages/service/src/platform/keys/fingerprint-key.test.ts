import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEngines } from '../../../test/engines.js';
import { openDatabase } from '../../store/open.js';
import { sqlStore } from '../../store/sql-store.js';
import type { Store } from '../../core/store.js';
import { parseSessionKeys, sessionSecrets, fingerprintKey } from './session-keys.js';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-fingerprint-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [one, two, three] = ['1', '2', '3'].map((digit) => `k${digit}:${digit.repeat(64)}`);

describe('R-93 the key of fingerprints', () => {
  let store: Store;
  beforeEach(async () => {
    store = sqlStore((await openDatabase(':memory:')).connection);
  });
  afterEach(() => store.close());

  const keyWith = (...lines: (string | undefined)[]): Promise<string> =>
    store.transaction((tx) => fingerprintKey(tx, sessionSecrets(parseSessionKeys(lines.join('\n'), 'test'))));
  const stored = () => store.read((tx) => tx.meta.get('fingerprint-key'));

  it('is not in the database', async () => {
    const key = await keyWith(one);
    expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    expect(await stored()).not.toContain(key);
    expect(await keyWith(one)).toBe(key);
  });

  it('stays the same through rotations, as long as one session key that can decrypt it remains', async () => {
    const key = await keyWith(one);
    expect(await keyWith(one, two)).toBe(key);
    expect(await keyWith(two, one)).toBe(key);
    expect(await keyWith(two)).toBe(key);
    expect(await keyWith(three, two)).toBe(key);
    expect(await keyWith(three)).toBe(key);
    expect(await keyWith(one), 'an older backup').toBe(key);
  });

  it('is not replaced if no session key can decrypt it', async () => {
    await keyWith(one, two);
    await expect(keyWith(three)).rejects.toMatchObject({
      code: 'session_key_missing',
      message: expect.stringContaining('"k1", "k2"') as string,
    });
    const wrong = `k1:${'9'.repeat(64)}`;
    await expect(keyWith(wrong)).rejects.toThrow();
  });

  it.each(startEngines(() => join(folder, `${randomUUID()}.db`)))(
    'is the same for processes that start and rotate at the same time: %s',
    async (_, database) => {
      const url = await database();
      const added = ['a', 'b', 'c'].map((digit) => `k${digit}:${digit.repeat(64)}`);
      const processes = await Promise.all(
        added.map(async () => sqlStore((await openDatabase(url)).connection)),
      );
      const ask = (process: Store, ...lines: (string | undefined)[]) =>
        process.transaction((tx) =>
          fingerprintKey(tx, sessionSecrets(parseSessionKeys(lines.join('\n'), 'test'))),
        );
      const [key, ...others] = await Promise.all(
        processes.map((process, index) => ask(process, one, added[index])),
      );
      expect(others).toEqual([key, key]);
      for (const [index, process] of processes.entries()) {
        expect(await ask(process, added[index])).toBe(key);
        await process.close();
      }
    },
  );

  it('stays readable for release 0.3, which may run at the same time', async () => {
    await store.transaction((tx) => tx.meta.set('fingerprint-key', 'of-release-0.3'));
    expect(await keyWith(one)).toBe('of-release-0.3');
    expect(await stored()).toBe('of-release-0.3');
  });
});
