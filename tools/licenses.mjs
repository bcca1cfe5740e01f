// Lists third-party code in a package's dist with its licenses, in the `third-party-licenses.md` that each build writes.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file that Vite writes into a build's folder if `build.license` has this name. */
export const licensesOf = (configFile) => `licenses-of-${configFile}.json`;

/** Merges the license files of a package's builds. Writes no file if there is no third-party code. */
export function writeLicenses(folder) {
  const dist = join(folder, 'dist');
  const parts = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(^|\/)licenses-of-.*\.json$/.test(path),
  );
  const found = new Map();
  for (const path of parts) {
    const file = join(dist, path);
    for (const entry of JSON.parse(readFileSync(file, 'utf8')))
      found.set(`${entry.name}@${entry.version}`, entry);
    rmSync(file);
  }
  if (found.size === 0) return;
  const sections = [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { name, version, identifier, text }]) => `## ${name} ${version}\n\n${identifier}\n\n${text}\n`);
  writeFileSync(
    join(dist, 'third-party-licenses.md'),
    `# Third-party licenses\n\nThe files of this package hold code of others:\n\n${sections.join('\n')}`,
  );
}
