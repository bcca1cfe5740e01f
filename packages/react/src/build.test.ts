// @vitest-environment node
// Builds the published package in memory, as tools/build.mjs does.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Rolldown } from 'vite';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
// In a separate process: the bundler rejects objects from the realm of a test file.
const BUILD = `
  import { build } from 'vite';
  const options = { configFile: 'vite.config.ts', logLevel: 'silent', build: { write: false } };
  console.log(JSON.stringify(await build(options)));
`;

it('every built file starts with "use client", in both formats', async () => {
  const node = [process.execPath, ['--input-type=module', '-e', BUILD], { cwd: root }] as const;
  const { stdout } = await promisify(execFile)(...node);
  const outputs = JSON.parse(stdout) as Rolldown.RolldownOutput[];
  const chunks = outputs.flatMap(({ output }) => output).filter((file) => file.type === 'chunk');
  const names = chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName);
  expect(names.toSorted()).toEqual(['index.cjs', 'index.js', 'testing.cjs', 'testing.js']);
  for (const { fileName, code } of chunks) {
    expect(code.startsWith('"use client";\n'), fileName).toBe(true);
  }
});
