// Reports how a change affects sizes and public types, as Markdown: `node tools/difference.mjs BEFORE AFTER`, two checkouts with
// built packages.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [before, after] = process.argv.slice(2);
if (after === undefined) throw new Error('node tools/difference.mjs BEFORE AFTER');
const LIBRARIES = ['loader', 'react', 'server', 'server-types'];

/** @returns {Map<string, number>} bytes by name, as measured by .size-limit.json */
function sizes(checkout) {
  const { stdout, stderr } = spawnSync('node_modules/.bin/size-limit', ['--json'], {
    cwd: checkout,
    encoding: 'utf8',
  });
  if (!stdout.trim().startsWith('[')) throw new Error(`size-limit in ${checkout}: ${stderr || stdout}`);
  return new Map(JSON.parse(stdout).map(({ name, size }) => [name, size]));
}

/** Declarations that a package exports, without internal ones. */
function declarations(checkout, name) {
  const { exports } = JSON.parse(readFileSync(join(checkout, 'packages', name, 'package.json'), 'utf8'));
  const entries = Object.values(exports).flatMap((entry) => entry?.import?.types ?? []);
  const seen = new Set();
  const visit = (file) => {
    if (seen.has(file) || !existsSync(join(checkout, file))) return;
    seen.add(file);
    const text = readFileSync(join(checkout, file), 'utf8');
    for (const [, found] of text.matchAll(/from '(\.[^']+)\.js'/g)) visit(join(file, '..', `${found}.d.ts`));
  };
  for (const entry of entries) visit(join('packages', name, entry));
  return seen;
}

function typesDifference(name) {
  const files = [...new Set([...declarations(before, name), ...declarations(after, name)])].toSorted((a, b) =>
    a.localeCompare(b),
  );
  return files
    .map((file) => {
      const [old, now] = [before, after].map((checkout) => {
        const path = join(checkout, file);
        return existsSync(path) ? path : '/dev/null';
      });
      const flags = ['diff', '--no-index', '--no-color', '-U2', '--', old, now];
      const { stdout } = spawnSync('git', flags, { encoding: 'utf8' });
      return stdout.replace(/^[^]*?(?=^@@)/m, `${file}\n`);
    })
    .join('');
}

const [old, now] = [sizes(before), sizes(after)];
const rows = [...new Set([...old.keys(), ...now.keys()])].map((name) => {
  const [was, is] = [old.get(name), now.get(name)];
  const change = was === undefined ? 'new' : is === undefined ? 'gone' : is - was;
  return `| ${name} | ${was ?? '–'} | ${is ?? '–'} | ${change > 0 ? `+${change}` : change} |`;
});
console.log('### Sizes, brotli, bytes\n\n| | before | after | change |\n|---|---|---|---|');
console.log(rows.join('\n'));
console.log('\n### Public types\n');
const types = LIBRARIES.map(typesDifference).join('');
console.log(types === '' ? 'No change.' : `\`\`\`diff\n${types}\`\`\``);
