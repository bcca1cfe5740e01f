// Beside each page of the built site its Markdown, and /llms.txt, which lists them all.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @param {import('vitepress').SiteConfig} site */
export function writeMarkdown({ pages, rewrites, srcDir, outDir, site }) {
  const lines = pages.map((source) => {
    const path = rewrites.map[source] ?? source;
    const target = join(outDir, path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(srcDir, source), target);
    const title = /^# (.+)$/m.exec(readFileSync(target, 'utf8'))?.[1] ?? site.title;
    return `- [${title}](/${path})`;
  });
  const groups = new Map();
  for (const line of lines.toSorted((a, b) => a.localeCompare(b))) {
    const name = /\(\/([^/)]+)\//.exec(line)?.[1] ?? '';
    groups.set(name, [...(groups.get(name) ?? []), line]);
  }
  const sections = [...groups].map(([name, items]) => `${name && `## ${name}\n\n`}${items.join('\n')}\n`);
  writeFileSync(
    join(outDir, 'llms.txt'),
    `# ${site.title}\n\n> ${site.description}\n\n${sections.join('\n')}`,
  );
}
