import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { config, SECRETS, SLUG } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { startReceiver } from '../../test/receiver.js';
import { startTestService } from '../start/test-service.js';
import { commandLine } from './command-line.js';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-webhooks-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

it('R-66 lists messages, resends one or all, and enables an address after 410', async () => {
  const receiver = await startReceiver();
  const secret = 'hunter2';
  const { host } = new URL(receiver.url);
  const webhook = { url: `http://merchant:${secret}@${host}/hook?token=${secret}`, secrets: [SECRETS[0]] };
  const database = join(folder, 'service.db');
  const service = await startTestService({ config: config({ webhook }), database });
  onTestFinished(async () => {
    await service.close();
    await receiver.close();
  });
  const webhooks = async (...words: string[]): Promise<string> => {
    let output = '';
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, 'write').mockImplementation((part) => ((output += String(part)), true));
    await commandLine(['webhooks', ...words, '--business-unit', SLUG, '--database', database]);
    vi.restoreAllMocks();
    return output;
  };
  /** The ids that arrive once the jobs have run. */
  const arriving = async (): Promise<string[]> => {
    receiver.received.length = 0;
    await service.control.advance(0);
    return receiver.received.map(({ headers }) => headers['webhook-id'] ?? '').toSorted();
  };
  const expire = async (): Promise<void> => {
    await open(service.fetch, 'payment');
    await service.control.advance(31 * 60_000);
  };

  expect(await webhooks('list')).toBe(`There are no messages of ${SLUG}.\n`);
  receiver.response = 410;
  await expire();
  await expire();
  const listed = (await webhooks('list')).trim().split('\n');
  expect(listed).toEqual([
    expect.stringMatching(new RegExp(`^disabled  .*  http://${host}/hook$`)),
    expect.stringMatching(/^msg_\S+ {2}\S+Z {2}session\.expired {2}disabled {2}attempts 1 {2}HTTP 410$/),
    expect.stringMatching(/^msg_\S+ {2}\S+Z {2}session\.expired {2}disabled {2}attempts 0 {2}/),
  ]);
  const file = new DatabaseSync(database, { readOnly: true });
  const addresses = file.prepare('select url from disabled_webhooks').all();
  file.close();
  expect(addresses).toHaveLength(1);
  expect(JSON.stringify(addresses)).not.toContain(secret);
  const [first = '', second = ''] = listed.slice(1).map((line) => line.split(' ')[0]);

  receiver.response = 200;
  expect(await webhooks('resend', '--id', second)).toBe(
    `${second} will be sent again.\nNothing is sent to http://${host}/hook, which returned 410. If it works again, run "webhooks enable" first.\n`,
  );
  expect(await webhooks('recover', '--since', '2020-01-01')).toMatch(/ again\.\nNothing is sent to /);
  expect(await arriving()).toEqual([]);
  expect(await webhooks('enable')).toBe(`http://${host}/hook is enabled again.\n`);
  expect(await webhooks('enable')).toBe(`No address of ${SLUG} is disabled.\n`);
  expect(await webhooks('resend', '--id', second)).toBe(`${second} will be sent again.\n`);
  expect(await arriving()).toEqual([second]);
  expect(await webhooks('recover', '--since', '2020-01-01')).toBe('2 messages will be sent again.\n');
  expect(await arriving()).toEqual([first, second].toSorted());
  expect((await webhooks('list')).match(/delivered/g)).toHaveLength(2);
  expect(await webhooks('list', '--since', '2999-01-01')).toBe(`There are no messages of ${SLUG}.\n`);
});
