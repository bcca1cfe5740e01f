// Generates docs/changelog.md from the packages' changelogs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './repository.mjs';

const PACKAGES = ['loader', 'react', 'server', 'server-types', 'service'];

export function changelogPage() {
  const versions = new Map();
  for (const name of PACKAGES) {
    const text = readFileSync(join(ROOT, 'packages', name, 'CHANGELOG.md'), 'utf8');
    for (const part of text.split(/^## /m).slice(1)) {
      const [version] = part.split('\n', 1);
      const body = part.slice(version.length).trim().replaceAll(/^### /gm, '#### ');
      versions.set(version, [...(versions.get(version) ?? []), `### ${name} ${version}\n\n${body}\n`]);
    }
  }
  const sections = [...versions].map(([version, parts]) => `## ${version}\n\n${parts.join('\n')}`);
  return `# Changelog

<!-- Written by docs/generate.mjs from the packages' changelogs; do not edit by hand. -->

[Upgrading](upgrading.md) says what to do.

${sections.join('\n')}`;
}
