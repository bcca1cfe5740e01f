// `pnpm gallery pages`: opens every page of the built service and writes docs/flows.md with pictures. `pnpm gallery every FOLDER
// LANGUAGE [STATE,…]`: writes pictures of every state, at four widths, light and dark, to a folder.
import { build } from 'vite';

const entry = process.argv[2] === 'every' ? 'every-display' : 'gallery';
const dist = new URL('../dist/', import.meta.url).pathname;
await build({
  configFile: false,
  root: new URL('..', import.meta.url).pathname,
  logLevel: 'warn',
  // Texts are found by `import.meta.glob`, and compiled by a dependency of the service.
  ssr: { external: ['playwright-core', 'selenium-webdriver'], noExternal: ['@messageformat/parser'] },
  build: { ssr: new URL(`./${entry}.ts`, import.meta.url).pathname, outDir: dist, emptyOutDir: false },
});
await import(`${dist}${entry}.js`);
