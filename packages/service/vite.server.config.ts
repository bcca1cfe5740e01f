// Builds what runs on Node: the command line and the package's entry, their dependencies left to be imported.
import { chmodSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { defineConfig, type UserConfig } from 'vite';
import manifest from './package.json' with { type: 'json' };

/** Bundled, because loading their many small modules took most of the startup time. */
const BUNDLED = [
  '@messageformat/parser',
  // Its copies share what an operator registers in globals.
  '@opentelemetry/api',
  '@prometheus-io/client',
  'kysely',
  'moo',
  'zod',
  '@embedded-sessions/server-types',
];

const dependencies = Object.keys(manifest.dependencies).filter((name) => !BUNDLED.includes(name));
const external = (id: string): boolean =>
  isBuiltin(id) || dependencies.some((name) => id === name || id.startsWith(`${name}/`));

const config: UserConfig = defineConfig({
  publicDir: false,
  plugins: [
    {
      name: 'executable',
      apply: 'build',
      writeBundle: () => chmodSync(join(import.meta.dirname, 'dist/cli.js'), 0o755),
    },
  ],
  ssr: { noExternal: BUNDLED },
  build: {
    ssr: true,
    target: 'node24',
    outDir: 'dist',
    emptyOutDir: false,
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      external,
      input: {
        cli: join(import.meta.dirname, 'src/cli/cli.ts'),
        index: join(import.meta.dirname, 'src/index.ts'),
        'processor-kit': join(import.meta.dirname, 'src/processor-kit/index.ts'),
      },
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: 'server-[hash].js',
        comments: { legal: true, annotation: false, jsdoc: false },
      },
    },
  },
});
export default config;
