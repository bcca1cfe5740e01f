// Builds the hosted pages to dist/pages: one small entry per flow, one stylesheet, one catalog per language, each
// also in brotli, with the manifest that http/files/hosted-assets.ts reads.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build, defineConfig, type Plugin, type UserConfig } from 'vite';

const pages = join(import.meta.dirname, 'src/browser/pages');
const flows = join(pages, 'flows');
const folders = readdirSync(flows);

function brotli(): Plugin {
  return {
    name: 'brotli',
    apply: 'build',
    closeBundle() {
      const assets = join(import.meta.dirname, 'dist/pages/assets');
      for (const name of readdirSync(assets)) {
        const file = join(assets, name);
        if (!name.endsWith('.br')) writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));
      }
    },
  };
}

const target = ['es2022', 'chrome109', 'firefox115', 'safari16.4'];

/** The script inside the HTML: by itself, so that it waits for no other file. */
function firstScript(): Plugin {
  return {
    name: 'first-script',
    apply: 'build',
    async closeBundle() {
      await build({
        configFile: false,
        root: import.meta.dirname,
        logLevel: 'warn',
        publicDir: false,
        build: {
          target,
          outDir: 'dist/pages',
          emptyOutDir: false,
          rolldownOptions: {
            input: 'src/browser/first-script.ts',
            output: { format: 'iife', entryFileNames: 'first-script.js' },
          },
        },
      });
    },
  };
}

const config: UserConfig = defineConfig({
  base: './',
  publicDir: false,
  plugins: [brotli(), firstScript()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target,
    outDir: 'dist/pages',
    emptyOutDir: true,
    manifest: true,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: Object.fromEntries([
        ...folders.map((folder) => [folder, join(flows, folder, 'main.tsx')]),
        ...['en', 'es'].flatMap((language) =>
          ['payment', 'manage', 'problem'].map((part) => [
            `text-${part}-${language}`,
            join(pages, 'kit/text', language, `${part}.ts`),
          ]),
        ),
      ]),
      preserveEntrySignatures: 'exports-only',
      output: {
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
        // What every flow needs is one file: it compresses better and is one request, cached over all flows.
        codeSplitting: {
          groups: [
            {
              name: 'app',
              test: /node_modules|vite\/|pages\/kit\/(shell|design|format|source|text\/index)/,
            },
            { name: 'manage', test: /pages\/kit\/manage\// },
            { name: 'en', test: /text\/en\/(shared|payment)/ },
            { name: 'es', test: /text\/es\/(shared|payment)/ },
          ],
        },
      },
    },
  },
});
export default config;
