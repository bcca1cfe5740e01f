// Checks imports against the tables in ARCHITECTURE.md: between packages, between the service's folders, and in rules.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

process.chdir(new URL('..', import.meta.url).pathname);

/** What each package may import from the others. With `types` and `internal`, only types, and with `internal` also `./internal`. */
const PACKAGES = {
  'server-types': {},
  loader: {},
  react: { loader: 'code' },
  server: { 'server-types': 'code' },
  service: { 'server-types': 'code', loader: 'types' },
  hosted: { loader: 'internal' },
  inspector: {},
};
const SERVICE = 'packages/service/src/';
const SDK = 'packages/hosted/src/sdk/';
const PAGES = 'packages/hosted/src/pages/';

/** The service's folders, lowest first. */
const FOLDERS = [
  ...readFileSync('ARCHITECTURE.md', 'utf8')
    .split('Each folder may import only')[1]
    .split('\n\nA feature')[0]
    .matchAll(/^\| `([\w-]+)` \|/gm),
].map(([, folder]) => folder);

const folderOf = (file) => file.slice(SERVICE.length).split(/[/.]/)[0];
const isRules = (file) => /^[\w-]+\/rules(\/|\.ts$)/.test(file.slice(SERVICE.length));
const isTest = (file) => /\.(test|test-d|contract)\.tsx?$|\/simulation[^/]*$/.test(file);

/**
 * Returns why this import is forbidden, or null if it is allowed.
 * @param {{ from: string, specifier: string, typesOnly: boolean }} found
 * @returns {string | null}
 */
export function refusal({ from, specifier, typesOnly }) {
  const own = from.split('/')[1];
  const [, other, subpath] = specifier.match(/^@embedded-sessions\/([\w-]+)(\/.*)?$/) ?? [];
  if (other !== undefined) {
    if (other === own && subpath === undefined) return 'a package does not import itself';
    const allowed = PACKAGES[own][other];
    if (allowed === undefined && other !== own) return `${own} may not import ${other}`;
    const isInternal = allowed === 'internal' && subpath === '/internal';
    return allowed === 'code' || typesOnly || isInternal || other === own
      ? null
      : `may import only types of ${other}`;
  }
  if (own !== 'server' && own !== 'service' && specifier.startsWith('node:'))
    return 'code for browsers may not import from Node';
  if (specifier.startsWith('@shared/'))
    return own === 'hosted' || own === 'inspector' ? null : 'only the pages import @shared';
  if (!specifier.startsWith('.')) {
    const isOfRules =
      from.startsWith(SERVICE) && (isRules(from) || /^(core|shared)\//.test(from.slice(SERVICE.length)));
    return isOfRules ? 'rules import only rules, core and shared' : null;
  }
  return refusalOfFile(from, normalize(join(dirname(from), specifier)).replace(/\.js$/, '.ts'), typesOnly);
}

function refusalOfFile(from, to, typesOnly) {
  const [, own] = from.split('/');
  const [, other] = to.split('/');
  if (other !== own) {
    return `${own} may not reach into ${other}`;
  }
  if (from.startsWith(SDK) && to.startsWith(PAGES)) return 'SDK and pages meet only in messages.ts';
  if (from.startsWith(PAGES) && to.startsWith(SDK)) return 'SDK and pages meet only in messages.ts';
  if (!from.startsWith(SERVICE)) return null;

  const [lower, upper] = [folderOf(to), folderOf(from)];
  if (lower === upper) return null;
  const isPure = lower === 'core' || lower === 'shared' || isRules(to);
  if (isRules(from) || upper === 'core' || upper === 'shared') {
    if (upper === 'shared') return 'shared imports nothing else of the service';
    return isPure ? null : 'rules import only rules, core and shared';
  }
  // The root entry and `deps.ts` name every part of the service.
  if (upper === 'index' || upper === 'deps') return null;
  if (typesOnly) return lower === 'cli' ? 'nothing imports the command line' : null;
  if (isPure && lower !== 'platform') return null;
  if (FOLDERS.indexOf(lower) < FOLDERS.indexOf(upper)) return null;
  return `${upper} may not import ${lower}`;
}

/** Every static and dynamic import and re-export of a source file. */
function importsOf(from, source) {
  const found = [];
  const add = (specifier, typesOnly) => found.push({ from, specifier, typesOnly });
  for (const [, kind, names, specifier] of source.matchAll(
    /^(?:import|export)(\s+type)?\s+([\w*{}\s,$]+?)\s+from\s+'([^'\n]+)'/gm,
  ))
    add(specifier, kind !== undefined || /^\{(\s*type [^,}]+,?)+\s*\}$/.test(names.trim()));
  for (const [, specifier] of source.matchAll(/^import\s+'([^'\n]+)'/gm)) add(specifier, false);
  for (const [, specifier] of source.matchAll(/\bimport\(\s*'([^'\n]+)'/g)) add(specifier, false);
  return found;
}

/** Imports that must be refused, so that a broken check doesn't pass silently. */
const MUST_REFUSE = [
  ['packages/loader/src/flow.ts', '@embedded-sessions/server'],
  ['packages/loader/src/flow.ts', 'node:fs'],
  ['packages/react/src/index.ts', '@embedded-sessions/service'],
  ['packages/server/src/client.ts', '@embedded-sessions/loader'],
  ['packages/service/src/app.ts', '@embedded-sessions/loader'],
  ['packages/service/src/payments/charging.ts', '../cli/serve.js'],
  ['packages/service/src/payments/charging.ts', '../refunds/refunding.js'],
  ['packages/service/src/platform/metrics.ts', '../wallet/methods.js'],
  ['packages/service/src/wallet/rules.ts', './methods.js'.replace('./', '../payments/')],
  ['packages/service/src/core/day.ts', 'node:crypto'],
  ['packages/service/src/refunds/rules.ts', 'kysely'],
  ['packages/service/src/shared/limits.ts', '../core/day.js'],
  ['packages/hosted/src/sdk/view.ts', '../pages/kit/shell/api.js'],
  ['packages/hosted/src/pages/kit/shell/api.ts', '../../../sdk/view.js'],
  ['packages/hosted/src/sdk/view.ts', '@embedded-sessions/loader'],
  ['packages/hosted/src/sdk/view.ts', '../../../service/src/core/day.js'],
  ['packages/hosted/src/sdk/view.ts', '../../../service/src/shared/page.js'],
  ['packages/service/src/app.ts', '@shared/page.js'],
  ['packages/inspector/src/main.tsx', '../../hosted/src/messages.js'],
];

const failures = [
  ...(FOLDERS.length < 15 ? ["ARCHITECTURE.md no longer lists the service's folders"] : []),
  ...MUST_REFUSE.filter(([from, specifier]) => refusal({ from, specifier, typesOnly: false }) === null).map(
    ([from, specifier]) => `not refused: ${from} imports ${specifier}`,
  ),
];

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'packages'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /^packages\/[\w-]+\/src\/.*\.tsx?$/.test(file) && !isTest(file));
let count = 0;
for (const file of files) {
  let source;
  try {
    source = readFileSync(file, 'utf8');
  } catch {
    continue; // Deleted but not committed yet.
  }
  if (file.startsWith(SERVICE) && !FOLDERS.includes(folderOf(file)) && !/^(index|deps)$/.test(folderOf(file)))
    failures.push(`${file}: ARCHITECTURE.md does not list this folder`);
  for (const found of importsOf(file, source)) {
    count++;
    const reason = refusal(found);
    if (reason !== null) failures.push(`${file} imports ${found.specifier}: ${reason}`);
  }
}
for (const failure of failures) console.log(failure);
console.log(`${count} imports of ${files.length} files checked`);
process.exitCode = failures.length === 0 && count > 1_000 ? 0 : 1;
