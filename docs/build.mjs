// `pnpm docs:build`, `pnpm docs:dev`: writes the reference from the code, then builds or serves the site. Offline.
import { join } from 'node:path';
import { build, createServer } from 'vitepress';
import { writeApiReference } from './api-reference.mjs';
import { writePages } from './generate.mjs';
import { ROOT } from './repository.mjs';

writePages();
await writeApiReference();
const site = join(ROOT, 'docs');
if (process.argv.includes('--serve')) {
  const server = await createServer(site);
  await server.listen();
  server.printUrls();
} else await build(site);
