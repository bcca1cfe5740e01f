import { defineConfig } from 'vite';

// The script-tag build, for pages without a bundler: minified here, because nobody else will.
export default defineConfig({
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: false,
    minify: 'oxc',
    sourcemap: true,
    lib: {
      entry: 'src/global.ts',
      formats: ['iife'],
      // Never used: the entry exports nothing at run time and defines the global itself, also where it runs as a module.
      name: 'EmbeddedSessions_',
      fileName: () => 'embedded-sessions.iife.js',
    },
  },
});
