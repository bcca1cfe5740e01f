// Generates pages from sources: error codes, webhook types, HTTP endpoints, changelog, measurements, mutation scores.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WEBHOOK_EVENTS } from '@embedded-sessions/server-types';
import { mutantsPage } from '../bench/mutants.mjs';
import { resultPages } from '../bench/results.mjs';
import { capacityPage } from './capacity.mjs';
import { changelogPage } from './changelog.mjs';
import { ERROR_PAGES } from './errors/pages.mjs';
import { httpReferencePages } from './http-reference.mjs';

const file = (path) => new URL(path, import.meta.url);
const read = (path) => readFileSync(file(path), 'utf8');

/** Replaces the table of webhook types between the markers. */
function webhooksPage(path) {
  const rows = Object.entries(WEBHOOK_EVENTS).map(
    ([type, { when, has }]) => `| \`${type}\` | ${when} | ${has.map((key) => `\`${key}\``).join(', ')} |`,
  );
  const table = `| type | when | \`data\` has also |\n|---|---|---|\n${rows.join('\n')}`;
  return read(path).replace(/(<!-- types.*-->\n)[^]*(<!-- \/types -->)/, `$1\n${table}\n\n$2`);
}

const written = () => ({
  ...Object.fromEntries(Object.entries(ERROR_PAGES).map(([name, text]) => [`errors/${name}`, text])),
  'webhooks.md': webhooksPage('webhooks.md'),
  'changelog.md': changelogPage(),
  ...httpReferencePages(),
  'capacity.md': capacityPage(read('capacity.md')),
  'how-we-know.md': mutantsPage(read('how-we-know.md')),
  ...resultPages(read('performance.md'), read('../bench/README.md')),
});

/** @returns {string[]} pages that need to be generated again */
export const stalePages = () =>
  Object.entries(written()).flatMap(([path, text]) =>
    existsSync(file(path)) && read(path) === text ? [] : [posix.join('docs', path)],
  );

export function writePages() {
  for (const [path, text] of Object.entries(written())) {
    mkdirSync(dirname(fileURLToPath(file(path))), { recursive: true });
    writeFileSync(file(path), text);
  }
}

if (import.meta.main) writePages();
