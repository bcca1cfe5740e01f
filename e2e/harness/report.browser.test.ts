/** The report that the test command counts by says what failed outside of a test, which no test of a run shows. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;

it('what fails in a hook, in a file that cannot be loaded or in nobody’s promise is counted and told', () => {
  // Inside the project, where `vitest` is found.
  mkdirSync(join(ROOT, '.test'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.test/report-'));
  try {
    const write = (name: string, text: string): void =>
      writeFileSync(
        join(folder, name),
        `import { afterAll, beforeAll, describe, it } from 'vitest';\n${text}`,
      );
    const fail = (what: string): string => `() => { throw new Error('${what}'); }`;
    writeFileSync(join(folder, 'vitest.config.mjs'), 'export default { test: { retry: 1 } };');
    write(
      'hooks.test.mjs',
      `describe('left', () => { afterAll(${fail('after')}); it('passes', () => {}); it.skip('is skipped', () => {}); });
       describe('never', () => { beforeAll(${fail('before')}); it('begins', () => {}); });
       let tries = 0;
       it('the second time', () => { if (tries++ === 0) throw new Error('at first'); });
       it('twice', ${fail('again')});
       it('never ends', { timeout: 50, retry: 0 }, () => new Promise(() => {}));`,
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
    const { passed, failed, skipped, remarks } = JSON.parse(readFileSync(report, 'utf8')) as {
      passed: number;
      failed: number;
      skipped: number;
      remarks: { title: string; messages: string[]; isSecondTry: boolean }[];
    };
    expect({ passed, failed, skipped }).toEqual({ passed: 3, failed: 6, skipped: 2 });
    const lines = remarks.map(({ title, messages, isSecondTry }) =>
      [isSecondTry ? 'second try' : 'failed', title, messages[0]!.split('\n')[0]].join(' · '),
    );
    expect(lines.toSorted()).toEqual([
      'failed · hooks.test.mjs: left · Error: after',
      expect.stringMatching(/^failed · hooks\.test\.mjs: never ends · Test timed out in 50ms/),
      'failed · hooks.test.mjs: never · Error: before',
      'failed · hooks.test.mjs: twice · Error: again',
      expect.stringMatching(/^failed · lost\.test\.mjs · Error: Cannot find module '\.\/nowhere\.mjs'/),
      'failed · outside of any test · Error: of nobody',
      'second try · hooks.test.mjs: the second time · Error: at first',
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
