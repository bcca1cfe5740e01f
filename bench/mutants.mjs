// The table of mutation scores in docs/how-we-know.md, from bench/mutants.json, which `pnpm mutants` writes.
import { readFileSync } from 'node:fs';
import { PARTS } from '../tools/mutants/parts.mjs';

const SCORES = new URL('mutants.json', import.meta.url);

function row(part, result) {
  if (!result) return `| ${part} | not measured | | |`;

  const { killed, survived, equivalent, score, at } = result;
  return `| ${part} | ${score} % (${killed} of ${killed + survived}) | ${equivalent} | ${at} |`;
}

export function mutantsTable() {
  const results = JSON.parse(readFileSync(SCORES, 'utf8'));
  const rows = Object.keys(PARTS).map((part) =>
    row(
      part,
      results.find((result) => result.part === part),
    ),
  );
  return `| part | mutants detected | equivalent | measured |\n|---|---|---|---|\n${rows.join('\n')}`;
}
