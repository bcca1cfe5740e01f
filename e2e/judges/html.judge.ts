/** Runs the Nu HTML checker on the pages as served, and on every state as rendered by the browser. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { fileOf } from './installed.js';
import { forEachState } from './each-state.js';

const JAR = join(dirname(fileOf('vnu-jar/package.json')), 'build/dist/vnu.jar');

interface Message {
  type: string;
  subType?: string;
  url: string;
  message: string;
  extract?: string;
}

/** Errors and warnings, without informational messages. */
function problemsOf(folder: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const args = ['-Xss4m', '-jar', JAR, '--format', 'json', '--exit-zero-always', '--skip-non-html', folder];
    execFile('java', args, { maxBuffer: 1 << 28 }, (error, _, stderr) => {
      if (error) return reject(error);
      const { messages } = JSON.parse(stderr) as { messages: Message[] };
      const serious = messages.filter(({ type, subType }) => type !== 'info' || subType === 'warning');
      resolve(
        serious.map(
          ({ url, message, extract }) =>
            `${url.slice(url.lastIndexOf('/') + 1)}: ${message} ${extract ?? ''}`,
        ),
      );
    });
  });
}

it('R-70 the Nu HTML checker finds no error and no warning', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-html-'));
  try {
    mkdirSync(join(folder, 'served'));
    mkdirSync(join(folder, 'rendered'));
    const seen = await forEachState(async (page, name) => {
      writeFileSync(join(folder, 'rendered', `${name}.html`), await page.content());
      const served = await fetch(page.url(), { headers: { accept: 'text/html' } });
      if (served.headers.get('content-type')?.startsWith('text/html') === true)
        writeFileSync(join(folder, 'served', `${name}.html`), await served.text());
    });
    expect(seen).toBeGreaterThan(50);
    expect(await problemsOf(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('the Nu HTML checker finds invalid HTML', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-html-'));
  writeFileSync(join(folder, 'wrong.html'), '<!doctype html><title>x</title><p><div></p><img src="x.png">');
  expect((await problemsOf(folder)).join('\n')).toMatch(/No “p” element in scope/);
  rmSync(folder, { recursive: true });
});
