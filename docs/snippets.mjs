// Compiles every code sample of every page, as docs/.snippets/PAGE-NUMBER.tsx.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './repository.mjs';

const folder = join(ROOT, 'docs/.snippets');

/** @param {string} text @returns {{ language: string, info: string, code: string, line: number }[]} */
export const fences = (text) =>
  [...text.matchAll(/^( *)```(\w*)(.*)\n([^]*?)^\1```$/gm)].map((match) => ({
    language: match[2],
    info: match[3].trim(),
    code: match[4].replaceAll(new RegExp(`^${match[1]}`, 'gm'), ''),
    line: text.slice(0, match.index).split('\n').length,
  }));

const SCRIPTS = /<script(?:\s+type="module")?>([^]*?)<\/script>/g;
const attributesOf = (html) => [...html.matchAll(/\s(data-[a-z-]+)(?==|\s|>)/g)].map(([, name]) => name);

/**
 * @param {Map<string, string>} pages Markdown by path
 * @param {{ attributes: Set<string>, scripts: Set<string>, commands: Set<string> }} known
 * @returns {string[]} problems
 */
export function checkSnippets(pages, known) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const problems = [];
  const sources = new Map();
  for (const [path, text] of pages)
    fences(text).forEach((fence, index) => {
      const report = (message) => problems.push(`${path}:${fence.line}: ${message}`);
      const compile = (extension, code) => {
        const name = `${path.replaceAll(/\W+/g, '-')}-${index}.${extension}`;
        // Samples without imports may use the names that ambient.d.ts declares.
        writeFileSync(join(folder, name), `${code}\nexport {};\n`);
        sources.set(name, `${path}:${fence.line}`);
      };
      const typescript = () => {
        // The package's own tests run these files and compare them with the page.
        const file = /^\/\/ (docs\/\S+)/.exec(fence.code)?.[1];
        if (file === undefined) compile('tsx', fence.code);
        else if (!existsSync(join(ROOT, path.replace(/(docs\/)?[^/]*$/, ''), file)))
          report(`there is no ${file}`);
      };
      /** Compiles a component's script; `ambient-frameworks.d.ts` declares `vue` and `@angular/core`. */
      const component = () => {
        for (const [, code] of fence.code.matchAll(/<script[^>]*>([^]*?)<\/script>/g)) compile('tsx', code);
      };
      const sample = () => {
        if (!text.includes('<!-- sample: '))
          report(`docs/samples.mjs runs no ${fence.language} of this page`);
      };
      const kinds = {
        ts: typescript,
        tsx: () => compile('tsx', fence.code),
        js: () => compile('mjs', fence.code),
        html: () => {
          for (const [, code] of fence.code.matchAll(SCRIPTS)) if (code.trim()) compile('tsx', code);
          for (const name of attributesOf(fence.code))
            if (!known.attributes.has(name)) report(`no attribute ${name}`);
        },
        json: () => {
          try {
            JSON.parse(fence.code);
          } catch (error) {
            report(`invalid JSON: ${error.message}`);
          }
        },
        sh: () => {
          for (const [, script] of fence.code.matchAll(/npx -y pnpm@12 ([\w:-]+)/g))
            if (!known.scripts.has(script)) report(`no script "${script}" in package.json`);
          for (const [, command] of fence.code.matchAll(/^embedded-sessions (\w+)/gm))
            if (!known.commands.has(command)) report(`no command "embedded-sessions ${command}"`);
        },
        // Diagrams, and configuration of other programs.
        '': () => {},
        nginx: () => {},
        ini: () => {},
        yaml: () => {},
        // Parsed by platform/monitoring.test.ts.
        promql: () => {},
        // Run by start/reload.test.ts.
        sql: () => {},
        diff: () => {},
        vue: component,
        svelte: component,
        // Run by samples.mjs where the language is installed.
        python: sample,
        php: sample,
        go: sample,
        // Drawn by mermaid.mjs.
        mermaid: () => {},
      };
      if (Object.hasOwn(kinds, fence.language)) kinds[fence.language]();
      else report(`nothing checks "${fence.language}"`);
    });
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../tsconfig.snippets.json' }));
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(tsc, ['-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  for (const line of stdout.split('\n').filter((found) => /error TS/.test(found)))
    problems.push(
      line.replace(/^([^(]+)\((\d+),/, (all, name, at) => `${sources.get(name) ?? name} +${at} (`),
    );
  if (status !== 0 && problems.length === 0) problems.push(stdout);
  return problems;
}
