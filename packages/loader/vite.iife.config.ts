/* oxlint-disable no-restricted-imports -- runs in Node, not on a page */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { build, defineConfig, type UserConfig } from 'vite';

const beside = new URL('src/undeclared-beside.ts', import.meta.url).pathname;

/** One minified file that is a script, not a module. */
const script = (entry: string, file: string, define: Record<string, string> = {}): UserConfig => ({
  define,
  resolve: { alias: [{ find: './undeclared-chunk.js', replacement: beside }] },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: false,
    minify: 'oxc',
    sourcemap: true,
    lib: {
      entry: `src/${entry}.ts`,
      formats: ['iife'],
      // Required but unused: the entries export nothing. The first one defines its global itself, also if it runs as a module.
      name: 'EmbeddedSessions_',
      fileName: () => file,
    },
  },
});

// The script-tag build, for pages without a bundler. The first file pins the second one.
export default defineConfig(async () => {
  const file = 'embedded-sessions.undeclared.js';
  const root = import.meta.dirname;
  await build({ ...script('undeclared-script', file), configFile: false, root, logLevel: 'warn' });
  const digest = createHash('sha384')
    .update(readFileSync(`${root}/dist/${file}`))
    .digest('base64');
  return script('global', 'embedded-sessions.iife.js', {
    UNDECLARED_INTEGRITY: JSON.stringify(`sha384-${digest}`),
  });
});
