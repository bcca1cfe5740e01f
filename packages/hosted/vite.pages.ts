// Builds hosted pages to dist/pages: a small entry per flow, one stylesheet, one catalog per language, each also in
// brotli, with the manifest that packages/service/src/hosted-pages/hosted-assets.ts reads.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type Plugin, type UserConfig } from 'vite';
import { LANGUAGES, type PageLanguage } from '../service/src/shared/languages.js';
import { resolve } from '../../vite.shared.js';
import { catalogFile, texts } from './vite.texts.js';

const pages = join(import.meta.dirname, 'src/pages');
const flows = join(pages, 'flows');

/** Folders of flows, each with a page. */
export const FLOWS: readonly string[] = readdirSync(flows);

/** Writes each file once more in brotli and in gzip, so that the service compresses nothing. */
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

/** Replaces Vite's loader of styles for modules that are imported later: ours bring theirs as text. */
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
  /** Of its manifest. */
  name: string;
  flows: readonly string[];
  /** The parts of the catalogs that they read. */
  catalogs: readonly string[];
  /** The languages of the catalogs, else those that are spoken. */
  languages?: readonly PageLanguage[];
  /** The first of the builds, which clears the folder. */
  first?: true;
  /** Modules that are one file, by its name. */
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
    // The styles don't use `light-dark()`, so its fallback is not needed.
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
          // Words that catalogs share are no page's script.
          chunkFileNames: `assets/${built.length === 0 ? 'words-' : ''}[name]-[hash].js`,
          assetFileNames: 'assets/[name]-[hash][extname]',
          codeSplitting: { groups: files },
        },
      },
    },
  };
}
