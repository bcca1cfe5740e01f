// Builds hosted pages to dist/pages: a small entry per flow, one style sheet, one catalog per language, compressed copies
// of each, and the manifest that packages/service/src/hosted-pages/hosted-assets.ts reads.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type Plugin, type UserConfig } from 'vite';
import { LANGUAGES, type PageLanguage } from '../service/src/shared/languages.js';
import { resolve } from '../../vite.shared.js';
import { catalogFile, texts } from './vite.texts.js';

const pages = join(import.meta.dirname, 'src/pages');
const flows = join(pages, 'flows');

/** The folders in `flows`. Each has a page. */
export const FLOWS: readonly string[] = readdirSync(flows);

/** Writes brotli and gzip copies of each file, so that the service doesn't have to compress. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle)) {
        if (!name.startsWith('assets/')) continue;
        const file = join(dir, name);
        const content = readFileSync(file);
        writeFileSync(`${file}.br`, brotliCompressSync(content));
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

/** Removes Vite's helper that loads the styles of dynamic imports: our modules contain their styles as text. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load()' : null,
};

const target = ['es2022', 'chrome109', 'firefox115', 'safari16.4'];

/** Bundles a script for the HTML into one file without imports. */
function inlineScript(name: string): Plugin {
  return {
    name,
    apply: 'build',
    async writeBundle() {
      await build({
        configFile: false,
        root: import.meta.dirname,
        resolve,
        logLevel: 'warn',
        publicDir: false,
        build: {
          target,
          outDir: '../service/dist/pages',
          emptyOutDir: false,
          rolldownOptions: {
            input: `src/${name}.ts`,
            output: { format: 'iife', entryFileNames: `${name}.js` },
          },
        },
      });
    },
  };
}

interface Pages {
  /** Name of the manifest. */
  name: string;
  flows: readonly string[];
  /** The catalog parts that the pages use. */
  catalogs: readonly string[];
  /** Default: all languages except the test languages. */
  languages?: readonly PageLanguage[];
  /** Set for the first build, which clears the folder. */
  first?: true;
  /** Groups modules into one file each. */
  files?: { name: string; test: RegExp }[];
}

export function pagesBuild({
  name,
  flows: built,
  catalogs,
  languages = LANGUAGES,
  first,
  files = [],
}: Pages): UserConfig {
  return {
    resolve,
    base: './',
    publicDir: false,
    // Excludes the fallback for `light-dark()`, which the styles don't use.
    css: { lightningcss: { exclude: 1 << 20 } },
    plugins: [
      texts(),
      compressed(),
      plainImports,
      ...(first === true ? ['first-script', 'warm-script'].map(inlineScript) : []),
    ],
    oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } },
    build: {
      target,
      outDir: '../service/dist/pages',
      emptyOutDir: first === true,
      manifest: `.vite/${name}.json`,
      modulePreload: false,
      assetsInlineLimit: 0,
      rolldownOptions: {
        transform: { inject: { h: ['preact', 'h'], Fragment: ['preact', 'Fragment'] } },
        input: Object.fromEntries([
          ...built.map((flow) => [flow, join(flows, flow, 'main.tsx')]),
          ...languages.flatMap((language) =>
            catalogs.map((text) => [`text-${text}-${language}`, catalogFile(text, language)]),
          ),
        ]),
        preserveEntrySignatures: 'exports-only',
        output: {
          entryFileNames: 'assets/[name]-[hash].js',
          // Chunks shared by catalogs get their own prefix, because they are not page scripts.
          chunkFileNames: `assets/${built.length === 0 ? 'words-' : ''}[name]-[hash].js`,
          assetFileNames: 'assets/[name]-[hash][extname]',
          codeSplitting: { groups: files },
        },
      },
    },
  };
}
