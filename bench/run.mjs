// `pnpm bench [GROUP…]`: measures the given groups, or all of them, one after the other. Saves each row when it is measured, so an
// interrupted run can be resumed. Prints the table and writes the docs page.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writePages } from '../docs/generate.mjs';
import { ROWS } from './rows.mjs';
import { table } from './results.mjs';

const at = (path) => new URL(path, import.meta.url).pathname;
const groups = [...new Set(Object.values(ROWS).map(({ group }) => group))];
/** These take minutes, so they run only if named. */
const CAMPAIGNS = ['size', 'first', 'night'];
const requested = process.argv.slice(2);
const unknown = requested.filter((name) => !groups.includes(name));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: there is ${groups.join(', ')}.`);
  process.exit(2);
}
let failed = false;
for (const group of requested.length > 0 ? requested : groups.filter((name) => !CAMPAIGNS.includes(name))) {
  if (!existsSync(at(`${group}.bench.ts`))) continue;
  const args = ['run', '--config', at('vitest.config.ts'), `${group}.bench.ts`];
  const { status } = spawnSync(at('../node_modules/.bin/vitest'), args, { stdio: 'inherit' });
  failed ||= status !== 0;
}
writePages();
console.log(table());
process.exit(failed ? 1 : 0);
