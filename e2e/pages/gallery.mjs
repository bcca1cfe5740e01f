// `pnpm gallery pages`: looks at every page of the built service and writes docs/flows.md with its pictures.
import { build } from 'esbuild';

const outfile = new URL('../dist/gallery.js', import.meta.url).pathname;
await build({
  entryPoints: [new URL('./gallery.ts', import.meta.url).pathname],
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  outfile,
  logLevel: 'warning',
});
await import(outfile);
