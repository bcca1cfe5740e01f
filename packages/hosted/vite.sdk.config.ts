// Builds dist/app: the SDK script embedded.loader.js, which defines one global, and the modules that it imports.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, defineConfig, type Plugin, type UserConfig } from 'vite';
import { resolve } from '../../vite.shared.js';
import { sdkTexts } from './vite.texts.js';

const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../service/package.json'), 'utf8'),
) as {
  version: string;
};

const texts = sdkTexts();

const target = ['es2022', 'chrome109', 'firefox115', 'safari16.4'];

/** Writes the modules that the script imports: its texts and `later.ts`. */
const imported: Plugin = {
  name: 'imported',
  async writeBundle({ dir = '' }) {
    writeFileSync(join(dir, 'words.json'), JSON.stringify(texts));
    await build({
      configFile: false,
      root: import.meta.dirname,
      resolve,
      logLevel: 'warn',
      publicDir: false,
      build: {
        target,
        outDir: dir,
        emptyOutDir: false,
        rolldownOptions: {
          input: 'src/sdk/later.ts',
          output: { format: 'es', entryFileNames: 'later.js' },
          preserveEntrySignatures: 'strict',
        },
      },
    });
  },
};

const config: UserConfig = defineConfig({
  resolve,
  publicDir: false,
  plugins: [imported],
  define: { SDK_VERSION: JSON.stringify(version), SDK_ENGLISH: JSON.stringify(texts.en) },
  build: {
    target,
    outDir: '../service/dist/app',
    emptyOutDir: true,
    rolldownOptions: {
      input: 'src/sdk/index.ts',
      output: { format: 'iife', entryFileNames: 'embedded.loader.js' },
    },
  },
});
export default config;
