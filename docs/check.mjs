// Checks that the docs are up to date: generated pages, code samples (against the built packages), links, headings and
// docstrings.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { LoaderError } from '@embedded-sessions/loader';
import { EmbeddedPaymentError } from '@embedded-sessions/react';
import { ServiceError } from '@embedded-sessions/server';
import { errorPage } from '@embedded-sessions/server-types';
import { openapi } from '@embedded-sessions/server-types/schemas';
import { undocumented } from './docstrings.mjs';
import { LOADER } from './errors/codes/loader.mjs';
import { REACT } from './errors/codes/react.mjs';
import { SERVER } from './errors/codes/server.mjs';
import { stalePages } from './generate.mjs';
import { ROOT } from './repository.mjs';
import { slug } from './slug.mjs';
import { runSamples } from './samples.mjs';
import { checkSnippets, fences } from './snippets.mjs';
import { runStartPage } from './start-page.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const git = (...args) =>
  spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout.split('\n').filter(Boolean);

const tracked = git('ls-files', '--cached', '--others', '--exclude-standard', '*.md');
const pages = new Map(
  tracked
    .filter((path) => existsSync(join(ROOT, path)) && !/^\.changeset\/|CHANGELOG/.test(path))
    .map((path) => [path, read(path)]),
);

/** Returns the ids of a page's headings and its `id` attributes. */
function anchorsOf(text) {
  const seen = new Map();
  const prose = text.replaceAll(/^ *```[^]*?^ *```$/gm, '');
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => {
    const id = slug(heading.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1'));
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  });
  return new Set([...headings, ...[...prose.matchAll(/id="([^"]+)"/g)].map(([, id]) => id)]);
}

function brokenLinks([path, text]) {
  const prose = text.replaceAll(/^ *```[^]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)| src="([^"]+)"/g)].map((match) => match[1] ?? match[2]);
  return links.flatMap((link) => {
    if (/^(https?:|mailto:)/.test(link)) return [];
    const [file, anchor] = decodeURI(link).split('#');
    const target = file === '' ? path : relative(ROOT, join(ROOT, dirname(path), file));
    // Building the site generates these.
    if (/^docs\/reference\/(loader|react|server|server-types)\//.test(target)) return [];
    if (!existsSync(join(ROOT, target))) return [`${path}: ${link} leads nowhere`];
    const isMissing = anchor !== undefined && pages.has(target) && !anchorsOf(pages.get(target)).has(anchor);
    return isMissing ? [`${path}: ${link}: no such heading`] : [];
  });
}

/** Every message ends with the URL of its code. */
const ERRORS = {
  loader: [LOADER, (code) => new LoaderError(code, '')],
  react: [REACT, (code) => new EmbeddedPaymentError(code, '')],
  server: [SERVER, (kind) => new ServiceError(kind, '')],
};
const wrongAddresses = Object.entries(ERRORS).flatMap(([name, [codes, make]]) =>
  Object.keys(codes)
    .filter((code) => make(code).message.toLowerCase().trim() !== errorPage(name, code).toLowerCase())
    .map((code) => `${name}: the message of ${code} does not end with its URL`),
);
const wrongRetryable = Object.entries(LOADER).flatMap(([code, { retryable }]) =>
  new LoaderError(code, '').retryable === (retryable === 'yes')
    ? []
    : [`docs/errors/codes/loader.mjs: ${code} has the wrong \`retryable\``],
);

const usage = spawnSync(process.execPath, [join(ROOT, 'packages/service/dist/cli.js'), '--help'], {
  encoding: 'utf8',
});
const known = {
  attributes: new Set(
    `${read('packages/loader/dist/global.d.ts')}${read('packages/loader/GUIDE.md')}`.match(/data-[a-z-]+/g),
  ),
  scripts: new Set([
    ...Object.keys(JSON.parse(read('package.json')).scripts),
    'install',
    'exec',
    'pack',
    '--filter',
  ]),
  commands: new Set(
    [...`${usage.stdout}${usage.stderr}`.matchAll(/embedded-sessions (\w+)/g)].map(([, name]) => name),
  ),
};

/** Test titles name every requirement, and no unknown one. */
const TESTS = ['*.test.ts', '*.test.tsx', '*.contract.ts', '*.test-d.ts', '*.test-d.tsx'];
const titles = git('grep', '-hE', '[\'"`][^\'"`]*[RDE]-[0-9]+', '--', ...TESTS);
const named = new Set(titles.flatMap((title) => title.match(/\b[RDE]-\d+\b/g) ?? []));
const required = new Set(
  [...read('docs/contract.md').matchAll(/^- \*\*([RDE]-\d+)\*\*/gm)].map(([, number]) => number),
);
const wrongRequirements = [
  ...[...required].filter((each) => !named.has(each)).map((each) => `no test names ${each}`),
  ...[...named]
    .filter((each) => !required.has(each))
    .map((each) => `a test names ${each}, which does not exist`),
];

/** The contract's fields of a charge are those of its schema. */
const { properties, required: mandatory } = openapi().components.schemas.Charge;
const charge = Object.keys(properties).map((name) => (mandatory.includes(name) ? name : `${name}?`));
const wrongCharge = read('docs/contract.md').includes(`of \`{ ${charge.join(', ')} }\` | required |`)
  ? []
  : [`docs/contract.md: the row of \`Charges\` has other fields than the schema: ${charge.join(', ')}`];

/** Checks that sizes in comparisons with peers are the measured ones. */
const SIZES = [
  ['packages/loader/GUIDE.md', '| size |', 'loader, full entry'],
  ['packages/react/GUIDE.md', '| size, bytes |', 'react, without the loader'],
];
const measured = JSON.parse(read('bench/results.json'));
const wrongSizes = SIZES.flatMap(([path, begin, name]) => {
  const { value } = measured.find(({ row }) => row === name);
  const size = `${begin} ${Math.round(value * 1000).toLocaleString('en-US')} |`;
  return pages.get(path).includes(size) ? [] : [`${path}: bench/results.json says: ${size}`];
});

/** Each decision has a unique number, the same in its file name and heading. */
const decisions = [...pages].filter(([path]) => path.startsWith('decisions/'));
const wrongNumbers = decisions.flatMap(([path, text]) => {
  const number = path.slice('decisions/'.length).slice(0, 4);
  if (!text.startsWith(`# ${number} `)) return [`${path}: its heading has another number`];
  const first = decisions.find(([other]) => other.startsWith(`decisions/${number}-`))[0];
  return first === path ? [] : [`${path}: ${first} has this number`];
});

const problems = [
  ...wrongNumbers,
  ...wrongSizes,
  ...wrongRequirements,
  ...wrongCharge,
  ...stalePages().map((path) => `${path} is not what docs/generate.mjs writes`),
  ...wrongRetryable,
  ...wrongAddresses,
  ...[...pages].flatMap(brokenLinks),
  ...checkSnippets(pages, known),
  ...undocumented(),
  ...(await runStartPage(pages.get('docs/start/index.md'))),
  ...(await runSamples(pages)),
];
console.log(
  problems.join('\n') || `${pages.size} pages, ${[...pages.values()].flatMap(fences).length} examples`,
);
process.exit(problems.length === 0 ? 0 : 1);
