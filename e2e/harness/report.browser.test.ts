/** The test command's report includes failures outside tests, and lists tests that passed on a second try. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;

it(
  'reports second tries, and failures in hooks, in files that fail to load and in unhandled promises',
  { tags: 'thorough' },
  () => {
    // Inside the project, so that `vitest` resolves.
    mkdirSync(join(ROOT, '.test'), { recursive: true });
    const folder = mkdtempSync(join(ROOT, '.test/report-'));
    try {
      const write = (name: string, text: string): void =>
        writeFileSync(
          join(folder, name),
          `import { afterAll, beforeAll, describe, it } from 'vitest';\n${text}`,
        );
      const fail = (what: string): string => `() => { throw new Error('${what}'); }`;
      writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {};');
      write(
        'hooks.test.mjs',
        `describe('left', () => { afterAll(${fail('after')}); it('passes', () => {}); it.skip('is skipped', () => {}); });
       describe('never', () => { beforeAll(${fail('before')}); it('begins', () => {}); });
       it('fails', ${fail('in a test')});
       it('never ends', { timeout: 50 }, () => new Promise(() => {}));`,
      );
      write(
        'again.test.mjs',
        `let tries = 0;
       it('passes again', { retry: 1 }, () => { tries++; if (tries === 1) throw new Error('once'); });`,
      );
      write('lost.test.mjs', `import './nowhere.mjs'; it('is not found', () => {});`);
      write('promise.test.mjs', `it('leaves one', () => { Promise.reject(new Error('of nobody')); });`);

      const report = join(folder, 'report.json');
      const { status } = spawnSync(
        join(ROOT, 'node_modules/.bin/vitest'),
        ['run', '--config', 'vitest.config.mjs', `--reporter=${join(ROOT, 'tools/report.mjs')}`],
        { cwd: folder, env: { ...process.env, TEST_REPORT: report }, stdio: 'ignore' },
      );

      expect(status).toBe(1);
      const { passed, failed, skipped, retried, failures } = JSON.parse(readFileSync(report, 'utf8')) as {
        passed: number;
        failed: number;
        skipped: number;
        retried: string[];
        failures: { title: string; messages: string[] }[];
      };
      expect({ passed, failed, skipped }).toEqual({ passed: 3, failed: 6, skipped: 2 });
      expect(retried).toEqual(['again.test.mjs: passes again']);
      const lines = failures.map(({ title, messages }) => `${title} · ${messages[0]!.split('\n')[0]}`);
      expect(lines.toSorted()).toEqual([
        'hooks.test.mjs: fails · Error: in a test',
        'hooks.test.mjs: left · Error: after',
        expect.stringMatching(/^hooks\.test\.mjs: never ends · Test timed out in 50ms/),
        'hooks.test.mjs: never · Error: before',
        expect.stringMatching(/^lost\.test\.mjs · Error: Cannot find module '\.\/nowhere\.mjs'/),
        'outside of any test · Error: of nobody',
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
