// Compares the third-party code in each package, according to source maps, with the package's `third-party-licenses.md`.
// Rebuilds with source maps what has none, such as the pages.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, resolveConfig } from 'vite';

process.chdir(new URL('../..', import.meta.url).pathname);
/** Licenses that allow redistribution in an MIT package if their text is included. */
const PERMISSIVE = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);

const PUBLISHED = ['server-types', 'loader', 'react', 'server', 'service'];
/** Private packages whose builds are packed into another. */
const PAGES_OF = { service: ['hosted', 'inspector'] };

/** The package that contains a source, at any depth of `node_modules`. */
const packageOf = (source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];

async function bundled(folder) {
  const found = new Set();
  const add = (map) => map?.sources.forEach((source) => found.add(packageOf(source)));
  const dist = join(folder, 'dist');
  const built = existsSync(dist) ? readdirSync(dist, { recursive: true, encoding: 'utf8' }) : [];
  for (const path of built)
    if (path.endsWith('.map')) add(JSON.parse(readFileSync(join(dist, path), 'utf8')));
  for (const file of readdirSync(folder).filter((file) => /^vite(\..+)?\.config\.ts$/.test(file))) {
    const options = { root: folder, configFile: join(folder, file), logLevel: 'error' };
    const { build: own } = await resolveConfig(options, 'build');
    if (own.sourcemap) continue;
    const pages = await build({ ...options, build: { write: false, sourcemap: 'hidden', minify: false } });
    for (const { output } of [pages].flat()) for (const { map } of output) add(map);
  }
  found.delete(undefined);
  return found;
}

const problems = [];
const counts = [];
for (const name of PUBLISHED) {
  const folder = join(process.cwd(), 'packages', name);
  const held = await bundled(folder);
  for (const page of PAGES_OF[name] ?? []) {
    for (const other of await bundled(join(process.cwd(), 'packages', page))) held.add(other);
  }
  const file = join(folder, 'dist/third-party-licenses.md');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const named = new Map(
    [...text.matchAll(/^## (\S+) \S+\n\n(\S+)\n\n(?:(?!\n## )[^]){500}/gm)].map(([, other, license]) => [
      other,
      license,
    ]),
  );
  for (const other of held)
    if (!named.has(other)) problems.push(`${name} holds ${other}, whose license is not in it`);
  for (const [other, license] of named) {
    if (!held.has(other)) problems.push(`${name} has the license of ${other}, and nothing else of it`);
    if (!PERMISSIVE.has(license)) problems.push(`${name} holds ${other}, which is under ${license}`);
  }
  counts.push(`${name}: ${[...held].join(', ') || 'nothing'}`);
}
console.log([...counts, ...problems].join('\n'));
process.exit(problems.length === 0 ? 0 : 1);
