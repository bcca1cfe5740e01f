// Builds dist/app/embedded.loader.js, the script of merchants' pages: one file that defines one global.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type UserConfig } from 'vite';
import { sdkTexts } from './vite.texts.js';

const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../service/package.json'), 'utf8'),
) as {
  version: string;
};

const config: UserConfig = defineConfig({
  publicDir: false,
  define: { SDK_VERSION: JSON.stringify(version), SDK_TEXTS: sdkTexts() },
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
