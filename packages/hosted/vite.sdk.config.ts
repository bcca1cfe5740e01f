// Builds dist/app: embedded.loader.js, the script of merchants' pages, which defines one global, and its words.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { sdkTexts } from './vite.texts.js';

const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../service/package.json'), 'utf8'),
) as {
  version: string;
};

const texts = sdkTexts();

/** Writes the words that the service sends to the script. */
const words: Plugin = {
  name: 'words',
  writeBundle: ({ dir = '' }) => writeFileSync(join(dir, 'words.json'), JSON.stringify(texts)),
};

const config: UserConfig = defineConfig({
  publicDir: false,
  plugins: [words],
  define: { SDK_VERSION: JSON.stringify(version), SDK_ENGLISH: JSON.stringify(texts.en) },
  build: {
    target: ['es2022', 'chrome109', 'firefox115', 'safari16.4'],
    outDir: '../service/dist/app',
    emptyOutDir: true,
    rolldownOptions: {
      input: 'src/sdk/index.ts',
      output: { format: 'iife', entryFileNames: 'embedded.loader.js' },
    },
  },
});
export default config;
