// What `pnpm mutants` found: bench/mutants.json, and the table of the docs that is made of it.
import { readFileSync } from 'node:fs';
import { PARTS } from '../tools/mutants/parts.mjs';

/** Percent of a part's breakages that its tests are to notice. */
const TARGET = 90;

const read = () => JSON.parse(readFileSync(new URL('mutants.json', import.meta.url), 'utf8'));

/** Wilson's interval: where the score of all of them is, with 95 % certainty, after so many of a sample. */
function interval(killed, sample) {
  const [share, square] = [killed / sample, 1.96 ** 2];
  const middle = share + square / (2 * sample);
  const spread = 1.96 * Math.sqrt((share * (1 - share)) / sample + square / (4 * sample ** 2));
  const percent = (value) => Math.round((100 * value) / (1 + square / sample));
  return `${percent(middle - spread)} to ${percent(middle + spread)} %`;
}

function row(part, result) {
  if (!result) return `| ${part} | not measured | | | |`;
  const { killed, survived, of, equivalent, score, at, after, first = killed, byUnitTests } = result;
  const sample = killed + survived;
  const known = equivalent > 0 ? `; ${equivalent} could change nothing` : '';
  const fresh = after === undefined ? '' : `, beyond the first ${after}`;
  const answered = first === killed ? '' : `; ${first} when it was fresh`;
  const alone = byUnitTests === undefined ? '' : `; ${byUnitTests} by unit tests alone`;
  const isWhole = sample === of;
  const verdict = score < TARGET ? '**below**' : isWhole ? 'met' : 'met by the sample';
  const all = `${of.toLocaleString('en')}: ${isWhole ? `${score} %` : interval(first, sample)}`;
  return `| ${part} | ${score} % (${killed} of ${sample}${fresh}${alone}${answered}${known}) | ${all} | ${verdict} | ${at} |`;
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
  const table = `| part | noticed, of the breakages tried | of all there are, 95 % sure | target ${TARGET} % | measured |\n|---|---|---|---|---|\n${rows.join('\n')}`;
  return page.replace(/(<!-- mutants.*-->\n)[^]*(<!-- \/mutants -->)/, `$1\n${table}\n\n$2`);
}
