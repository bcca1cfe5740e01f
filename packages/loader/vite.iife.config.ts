import { defineConfig } from 'vite';

const included = new URL('src/undeclared-included.ts', import.meta.url).pathname;

// The script-tag build, for pages without a bundler: one minified file.
export default defineConfig({
  resolve: { alias: [{ find: './undeclared-chunk.js', replacement: included }] },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: false,
    minify: 'oxc',
    sourcemap: true,
    lib: {
      entry: 'src/global.ts',
      formats: ['iife'],
      // Required but unused: the entry exports nothing and defines its global itself, also when it runs as a module.
      name: 'EmbeddedSessions_',
      fileName: () => 'embedded-sessions.iife.js',
    },
  },
});
