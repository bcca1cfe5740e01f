// @vitest-environment node
// What is published: built as tools/build.mjs does it, in memory.
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

it('"use client" opens every built file, in both formats', async () => {
  const outputs = (await build({
    root,
    configFile: `${root}/vite.config.ts`,
    logLevel: 'silent',
    build: { write: false },
  })) as Rolldown.RolldownOutput[];
  const chunks = outputs.flatMap(({ output }) => output).filter((file) => file.type === 'chunk');
  const names = chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName);
  expect(names.toSorted()).toEqual(['index.cjs', 'index.js', 'testing.cjs', 'testing.js']);
  for (const { fileName, code } of chunks) {
    expect(code.startsWith('"use client";\n'), fileName).toBe(true);
  }
});
