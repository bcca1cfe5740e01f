// Builds all packages, or those named, and then the examples: JavaScript with Vite, declarations with the compiler, and the
// package's own after-build.mjs. `node tools/build.mjs loader react`, `… examples`
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { licensesOf, writeLicenses } from './licenses.mjs';

const root = new URL('..', import.meta.url).pathname;
const ALL = ['server-types', 'loader', 'react', 'server', 'service'];
const unknown = process.argv.slice(2).find((name) => ![...ALL, 'examples'].includes(name));
if (unknown) throw new Error(`Cannot build ${unknown} alone: name one of ${ALL.join(', ')}, examples.`);
const PACKAGES = process.argv.length > 2 ? ALL.filter((name) => process.argv.includes(name)) : ALL;
const DUAL = PACKAGES.filter((name) => name !== 'service');

process.chdir(root);
for (const name of PACKAGES) rmSync(join('packages', name, 'dist'), { recursive: true, force: true });

// The private packages `hosted` and `inspector` build into the service's dist.
const FOLDERS = PACKAGES.flatMap((name) =>
  name === 'service' ? ['hosted', 'inspector', 'service'] : [name],
);

for (const name of FOLDERS) {
  const folder = join(root, 'packages', name);
  for (const file of readdirSync(folder).filter((file) => /^vite(\..+)?\.config\.ts$/.test(file))) {
    const license = { fileName: licensesOf(file) };
    await build({ root: folder, configFile: join(folder, file), logLevel: 'warn', build: { license } });
  }
  if (existsSync(join(folder, 'dist'))) writeLicenses(folder);
}

function compile(projects) {
  if (projects.length === 0) return;
  const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-b', ...projects], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
compile(PACKAGES.map((name) => join('packages', name)));

// CommonJS consumers need their own declarations (attw: "masquerading as ESM").
for (const name of DUAL) {
  const dist = join('packages', name, 'dist');
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue;
    const text = readFileSync(join(dist, file), 'utf8').replace(
      /(['"])(\.{1,2}\/[^'"]+)\.js\1/g,
      '$1$2.cjs$1',
    );
    writeFileSync(join(dist, file.replace(/\.d\.ts$/, '.d.cts')), text);
  }
}

for (const name of PACKAGES) {
  const script = join(root, 'packages', name, 'after-build.mjs');
  if (existsSync(script)) await import(pathToFileURL(script).href);
}

// The examples use only the packages' dist, like merchants.
if (process.argv.length === 2 || process.argv.includes('examples')) {
  compile(['examples/merchant-backend']);
  const folder = join(root, 'examples/react-app');
  await build({ root: folder, configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' });
}
