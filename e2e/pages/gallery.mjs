// `pnpm gallery pages`: opens every page of the built service and writes docs/flows.md with pictures. `pnpm gallery every FOLDER
// en|es|ar [STATE,…]`: writes pictures of every state, at four widths, light and dark, to a folder.
import { build } from 'esbuild';

const entry = process.argv[2] === 'every' ? 'every-look' : 'gallery';
const outfile = new URL(`../dist/${entry}.js`, import.meta.url).pathname;
await build({
  entryPoints: [new URL(`./${entry}.ts`, import.meta.url).pathname],
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  outfile,
  logLevel: 'warning',
});
await import(outfile);
