import { defineConfig, type UserConfig } from 'vite';

/** Vite configuration of the published libraries: ESM and CJS, modern syntax, one file per entry. */
export function library(entries: readonly string[], external: readonly (string | RegExp)[] = []): UserConfig {
  return defineConfig({
    build: {
      target: 'es2022',
      outDir: 'dist',
      emptyOutDir: false,
      minify: false,
      sourcemap: true,
      lib: {
        entry: Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
        formats: ['es', 'cjs'],
        fileName: (format, name) => `${name}.${format === 'es' ? 'js' : 'cjs'}`,
      },
      rolldownOptions: { external: [...external] },
    },
  });
}
