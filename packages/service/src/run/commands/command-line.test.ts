// What is refused before anything is done, and what is told of itself. That a process ends with it, says it on stderr and
// leaves no stack there is proven of each command in e2e/service.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { SLUG } from '../../../test/merchant.js';
import { ServiceError } from '../../domain/error.js';
import { commandLine } from './command-line.js';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-command-line-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

/** What it prints, and what it refuses with. */
async function run(...words: string[]): Promise<{ stdout: string; refused: string }> {
  let stdout = '';
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  let refused = '';
  try {
    await commandLine(words);
  } catch (error) {
    // Of anything else the stack is printed.
    expect(error).toBeInstanceOf(ServiceError);
    refused = (error as Error).message;
  } finally {
    written.mockRestore();
  }
  return { stdout, refused };
}

it.each(['help', '--help', '-h', 'serve --help', 'keys create -h'])(
  '%s says what there is',
  async (words) => {
    const { stdout, refused } = await run(...words.split(' '));
    expect(refused).toBe('');
    expect(stdout).toMatch(/^embedded-sessions serve --env .*keys revoke/s);
  },
);

it.each(['--version', '-v', 'version'])('%s says which this is', async (word) => {
  expect((await run(word)).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
});

it.each([
  ['start', [], /There is no command "start"\.\nembedded-sessions serve --env/],
  ['serve', ['--env', 'staging', '--colour', 'blue'], /--colour/],
  ['openapi', ['--yaml'], /--yaml/],
  [
    'payments export',
    ['--business-unit', SLUG, '--business-unit', 'other'],
    /--business-unit is given twice/,
  ],
  ['webhooks list', ['--business-unit', SLUG, '--business-unit', 'other'], /--business-unit is given twice/],
  ['listen', ['--forward-to', 'localhost:3000/webhooks'], /^--forward-to /],
  ['listen', ['--forward-to', 'http://127.0.0.1:9', '--inspector', '#token'], /^--inspector /],
  ['listen', [], /^--forward-to /],
])('%s %j is refused', async (name, args, why) => {
  expect(await run(...name.split(' '), ...args)).toEqual({
    stdout: '',
    refused: expect.stringMatching(why) as string,
  });
});

it.each(['two,units', 'Harborlight Water', '-water', '../x', 'ü', 'x'.repeat(101)])(
  'R-9 makes no key for %s, which no business unit can be called, and no database either',
  async (slug) => {
    const untouched = join(folder, 'untouched.db');
    const flags = [`--business-unit=${slug}`, '--env', 'staging', '--database', untouched];
    const { stdout, refused } = await run('keys', 'create', ...flags);
    expect(stdout).toBe('');
    expect(refused).toContain(`--business-unit ${JSON.stringify(slug)} cannot be a slug: it must be`);
    expect(existsSync(untouched)).toBe(false);
  },
);

describe('webhooks', () => {
  const database = join(folder, 'webhooks.db');
  beforeAll(async () => {
    expect((await run('migrate', '--database', database)).refused).toBe('');
  });

  it.each([
    ['resend', [], /--id is required/],
    ['recover', [], /--since is required/],
    ['recover', ['--since', 'yesterday'], /--since must be a time in ISO 8601/],
    ['resend', ['--id', 'msg_none'], /has no message msg_none/],
    ['forget', [], /There is no command "webhooks forget"/],
  ])('R-66 %s %j says what is wrong', async (action, args, why) => {
    const flags = [...args, '--business-unit', SLUG, '--database', database];
    expect(await run('webhooks', action, ...flags)).toEqual({
      stdout: '',
      refused: expect.stringMatching(why) as string,
    });
  });
});
