// Adds Markdown to the built site: each page, /llms.txt with a list of pages, and /llms-full.txt with all guides.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Too long or too internal for /llms-full.txt; /llms.txt lists them. */
const LEFT_OUT =
  /^(decisions\/|reference\/(loader|react|server|server-types)\/|flows\.md|how-we-know\.md|performance|accessibility)/;

/** @param {import('vitepress').SiteConfig} site */
export function writeMarkdown({ pages, rewrites, srcDir, outDir, site }) {
  const lines = [];
  const texts = [];
  for (const source of pages) {
    const path = rewrites.map[source] ?? source;
    const target = join(outDir, path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(srcDir, source), target);
    const text = readFileSync(target, 'utf8');
    const title = /^# (.+)$/m.exec(text)?.[1] ?? site.title;
    lines.push(`- [${title}](/${path})`);
    if (!LEFT_OUT.test(path)) texts.push(`<!-- /${path} -->\n\n${text.trim()}\n`);
  }
  const groups = new Map();
  for (const line of lines.toSorted((a, b) => a.localeCompare(b))) {
    const name = /\(\/([^/)]+)\//.exec(line)?.[1] ?? '';
    groups.set(name, [...(groups.get(name) ?? []), line]);
  }
  const sections = [...groups].map(([name, items]) => `${name && `## ${name}\n\n`}${items.join('\n')}\n`);
  const head = `# ${site.title}\n\n> ${site.description}\n\n`;
  writeFileSync(join(outDir, 'llms.txt'), `${head}${sections.join('\n')}`);
  writeFileSync(join(outDir, 'llms-full.txt'), `${head}${texts.toSorted().join('\n')}`);
}
