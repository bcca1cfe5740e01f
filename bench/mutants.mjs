// What `pnpm mutants` found: bench/mutants.json, and the table of the docs that is made of it.
import { readFileSync } from 'node:fs';
import { PARTS } from '../tools/mutants/parts.mjs';

/** Percent of a part's breakages that the unit tests are to notice. */
const TARGET = 90;

const read = () => JSON.parse(readFileSync(new URL('mutants.json', import.meta.url), 'utf8'));

function row(part, result) {
  if (!result) return `| ${part} | not measured | | |`;
  const { killed, sample, of, equivalent, score, at } = result;
  const known = equivalent > 0 ? `; ${equivalent} of the rest could change nothing` : '';
  const verdict = score >= TARGET ? 'met' : '**below**';
  return `| ${part} | ${score} % (${killed} of ${sample}${known}) | ${of.toLocaleString('en')} | ${verdict}, ${at} |`;
}

/** The page with every part's score between its two marks. */
export function mutantsPage(page) {
  const results = read();
  const rows = Object.keys(PARTS).map((part) =>
    row(
      part,
      results.find((one) => one.part === part),
    ),
  );
  const table = `| part | noticed, of the breakages tried | breakages there are | target ${TARGET} % |\n|---|---|---|---|\n${rows.join('\n')}`;
  return page.replace(/(<!-- mutants.*-->\n)[^]*(<!-- \/mutants -->)/, `$1\n${table}\n\n$2`);
}
