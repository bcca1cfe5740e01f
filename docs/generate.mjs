// Generates pages from sources: error codes, webhook types, HTTP endpoints, changelog, measurements, mutation scores.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WEBHOOK_EVENTS } from '@embedded-sessions/server-types';
import { mutantsTable } from '../bench/mutants.mjs';
import { details, summary } from '../bench/results.mjs';
import { capacityTable } from './capacity.mjs';
import { changelogPage } from './changelog.mjs';
import { ERROR_PAGES } from './errors/pages.mjs';
import { httpReferencePages } from './http-reference.mjs';

const file = (path) => new URL(path, import.meta.url);
const read = (path) => readFileSync(file(path), 'utf8');

/** The page with this text between `<!-- NAME … -->` and `<!-- /NAME -->`. */
const updated = (path, name, text) =>
  read(path).replace(
    new RegExp(`(<!-- ${name}.*-->\\n)[^]*(<!-- /${name} -->)`),
    (_, begin, end) => `${begin}\n${text}\n\n${end}`,
  );

function webhooksTable() {
  const rows = Object.entries(WEBHOOK_EVENTS).map(
    ([type, { when, has }]) => `| \`${type}\` | ${when} | ${has.map((key) => `\`${key}\``).join(', ')} |`,
  );
  return `| type | when | \`data\` has also |\n|---|---|---|\n${rows.join('\n')}`;
}

const written = () => ({
  ...Object.fromEntries(Object.entries(ERROR_PAGES).map(([name, text]) => [`errors/${name}`, text])),
  'webhooks.md': updated('webhooks.md', 'types', webhooksTable()),
  'changelog.md': changelogPage(),
  ...httpReferencePages(),
  'capacity.md': updated('capacity.md', 'capacity', capacityTable()),
  'how-we-know.md': updated('how-we-know.md', 'mutants', mutantsTable()),
  'performance.md': updated('performance.md', 'results', summary()),
  '../bench/README.md': updated('../bench/README.md', 'results', details()),
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
