// Builds dist/inspector: the script and the style sheet of the inspector.
import { defineConfig, type UserConfig } from 'vite';
import { resolve } from '../../vite.shared.js';

const config: UserConfig = defineConfig({
  resolve,
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    outDir: '../service/dist/inspector',
    emptyOutDir: true,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { inspector: 'src/main.tsx' },
      output: { entryFileNames: '[name].js', assetFileNames: '[name][extname]' },
    },
  },
});
export default config;
