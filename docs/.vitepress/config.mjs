import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { writeMarkdown } from '../markdown.mjs';
import { drawDiagrams } from '../mermaid.mjs';
import { slug } from '../slug.mjs';
import { fileInRepository, ROOT } from '../repository.mjs';

/** Pages outside this package can't resolve Vue by themselves. */
const vitepress = createRequire(import.meta.url).resolve('vitepress/package.json');
const vueForPages = {
  name: 'vue-for-pages',
  enforce: 'pre',
  resolveId(source, importer) {
    return /^vue($|\/)/.test(source) && importer?.includes('.md')
      ? this.resolve(source, vitepress, { skipSelf: true })
      : undefined;
  },
};

const titleOf = (path) =>
  /^# (.+)$/m.exec(readFileSync(join(ROOT, path), 'utf8'))?.[1].replaceAll('`', '') ?? path;
// The sidebar renders HTML, so a title such as `<embedded-flow>` needs escaping.
const page = (path, text = titleOf(path)) => ({
  text: text.replaceAll('<', '&lt;'),
  link: `/${siteOf(path)}`,
});
const pagesIn = (folder) =>
  readdirSync(join(ROOT, folder))
    .filter((file) => file.endsWith('.md'))
    .toSorted((a, b) => a.localeCompare(b))
    .map((file) => page(`${folder}/${file}`));

/** The address of a repository page on the site. @param {string} path */
function siteOf(path) {
  return path
    .replace(/^docs\//, '')
    .replace(/^packages\/([^/]+)\/(README|GUIDE)\.md$/, 'packages/$1.md')
    .replace(/^packages\/server\/docs\//, 'packages/server-')
    .replace(/^bench\/README\.md$/, 'performance-measured.md')
    .replace(/^[A-Z_]+\.md$/, (name) => name.toLowerCase().replaceAll('_', '-'));
}

/** Pages use links that work in the repository. Turn them into links to site pages or repository files. */
function linkFiles(md) {
  md.core.ruler.push('files-of-the-repository', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'html_inline')
        token.content = token.content.replace(/ src="(?=screenshots)/, ' src="./');
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href === null || /^(\w+:|#|\/)/.test(href)) continue;
      const [path, anchor] = href.split('#');
      const target = relative(ROOT, join(dirname(env.realPath ?? env.path), decodeURI(path)));
      const page = [target, `${target}/GUIDE.md`, `${target}/README.md`, `${target}/index.md`].find(isPage);
      const address = page === undefined ? fileInRepository(target) : `/${siteOf(page)}`;
      token.attrSet('href', anchor === undefined ? address : `${address}#${anchor}`);
    }
  });
}

/** Screen readers announce an empty header cell, so a column without a name gets an ordinary cell. */
function nameColumns(md) {
  md.core.ruler.push('headers-with-names', ({ tokens }) => {
    for (const [at, token] of tokens.entries())
      if (token.type === 'th_open' && tokens[at + 1].content === '') {
        token.tag = 'td';
        tokens[at + 2].tag = 'td';
      }
  });
}

const IS_NUMBER = /^[<≤≥~−-]?\d[\d,.]*(?: ?[^\s\d]{1,4})?$/;

/** Aligns a column of numbers to the right. A few of its cells may have words. */
function alignNumbers(md) {
  md.core.ruler.push('numbers-to-the-right', ({ tokens }) => {
    let columns = [];
    let column = 0;
    for (const [at, { type }] of tokens.entries()) {
      if (type === 'table_open') columns = [];
      else if (type === 'tr_open') column = 0;
      else if (type === 'th_open' || type === 'td_open') {
        columns[column] ??= { cells: [], numbers: 0, filled: 0 };
        columns[column].cells.push(tokens[at]);
        const text = tokens[at + 1].content.replaceAll(/[*`]/g, '');
        if (type === 'td_open' && text !== '') columns[column].filled += 1;
        if (type === 'td_open' && IS_NUMBER.test(text)) columns[column].numbers += 1;
        column += 1;
      } else if (type === 'table_close')
        for (const { cells, numbers, filled } of columns.slice(1))
          if (numbers > 1 && numbers >= 0.7 * filled)
            for (const cell of cells) cell.attrSet('style', 'text-align:right');
    }
  });
}

/** Lets long names break between their words, such as `EMBEDDED_|SESSIONS_|KEYS`, and no others. */
function breakNames(md) {
  const render = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (tokens, at, ...rest) => {
    const html = render(tokens, at, ...rest);
    if (tokens[at].content.length <= 14) return html.replace('<code', '<code class="unbroken"');
    return html.replace(/(?<=>)[^<]+(?=<\/code>)/, (code) =>
      code.replace(/(?<=\w)[_./|:=,@](?=[A-Za-z])|\/\/|[a-z](?=[A-Z])/g, '$&<wbr>'),
    );
  };
}

/** A section of pages below docs. */
const section = (text, names) => ({ text, items: names.map((name) => page(`docs/${name}.md`)) });

/** A folding section links to its first page: without a link, its heading would be a button that contains a button. */
const folded = (text, items) => ({ text, collapsed: true, link: items[0].link, items });

const isPage = (path) =>
  path.endsWith('.md') &&
  !/^(packages\/(loader|react|server|server-types)\/)?README\.md$/.test(path) &&
  !path.startsWith('examples/') &&
  existsSync(join(ROOT, path));

/**
 * Index a code both whole and in parts, so a search for `origin_not_allowed` doesn't find `not_allowed` first. Guides rank
 * above decisions and generated pages. VitePress serializes these functions, so they can't use anything outside.
 */
const FINDS = {
  options: {
    tokenize: (text) => {
      const words = text.split(/[^\p{L}\p{N}_]+/u);
      return [...words, ...words.filter((word) => word.includes('_')).flatMap((word) => word.split('_'))];
    },
  },
  searchOptions: {
    tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u),
    boostDocument: (id) => (/^\/(reference|decisions)\//.test(id) ? 0.3 : 1),
  },
};

/** Inline, so that browsers don't request /favicon.ico. */
const LOGO = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(ROOT, 'docs/pictures/logo.svg'), 'utf8'))}`;

export default {
  title: 'Embedded Sessions',
  description: "Payments and account flows of an operator, on a merchant's own page.",
  lang: 'en',
  head: [['link', { rel: 'icon', href: LOGO }]],
  srcDir: '..',
  srcExclude: [
    '**/node_modules/**',
    '{e2e,examples,tools}/**',
    'README.md',
    'packages/{loader,react,server,server-types}/README.md',
    '**/CHANGELOG.md',
    '.*/**',
  ],
  rewrites: siteOf,
  cleanUrls: true,
  lastUpdated: false,
  markdown: {
    // Same ids as on GitHub; codes keep their underscores (`#csp_blocked`).
    anchor: { slugify: slug },
    config: (md) => md.use(linkFiles).use(nameColumns).use(alignNumbers).use(breakNames).use(drawDiagrams),
    // The default themes have too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    logo: { src: LOGO, alt: '' },
    search: { provider: 'local', options: { miniSearch: FINDS } },
    outline: [2, 3],
    nav: [
      { text: 'Get started', link: '/start/' },
      { text: 'Accept payments', link: '/payments' },
      { text: 'Errors', link: '/errors/' },
      { text: 'Reference', link: '/reference/' },
    ],
    sidebar: [
      section('Get started', [
        'start/index',
        'how-it-works',
        'start/react',
        'start/script-tag',
        'start/element',
        'start/next',
        'start/frameworks',
        'start/webview',
        'start/backends',
        'from-service',
      ]),
      section('Accept payments', ['payments']),
      section('Account flows', [
        'account-flows/index',
        'account-flows/autopay',
        'account-flows/wallet',
        'account-flows/paperless',
        'account-flows/schedule-payment',
        'account-flows/scheduled-payments',
        'account-flows/notifications',
      ]),
      section('After a payment', ['webhooks', 'messages', 'refunds', 'disputes', 'accounting']),
      section('Test', ['testing', 'test-data', 'inspector']),
      section('Go live', [
        'going-live',
        'security',
        'privacy',
        'accessibility',
        'languages',
        'troubleshooting',
        'faq',
      ]),
      section('Run the service', [
        'configuration',
        'processor',
        'check-a-processor',
        'stripe',
        'deploying',
        'operating',
        'monitoring',
        'runbooks',
        'capacity',
        'upgrading',
        'reliability',
        'performance',
      ]),
      {
        text: 'Reference',
        items: [
          page('docs/reference/index.md', 'Overview'),
          folded('HTTP API', [
            page('docs/reference/http/index.md', 'All endpoints'),
            ...pagesIn('docs/reference/http').filter(({ link }) => !link.endsWith('/index.md')),
          ]),
          folded(
            'Errors',
            ['index', 'loader', 'react', 'server', 'service'].map((name) => page(`docs/errors/${name}.md`)),
          ),
          folded(
            'TypeScript',
            ['loader', 'react', 'server', 'server-types'].map((name) => ({
              text: name,
              link: `/reference/${name}/`,
            })),
          ),
          folded('Packages', [
            ...['loader', 'react', 'server', 'server-types'].map((name) =>
              page(`packages/${name}/GUIDE.md`, name),
            ),
            page('packages/service/README.md', 'service'),
          ]),
          page('docs/contract.md'),
          page('docs/words.md'),
          page('docs/flows.md'),
          page('docs/changelog.md'),
        ],
      },
      folded('Decisions', pagesIn('decisions')),
      folded(
        'Project',
        [
          'ARCHITECTURE',
          'CONTRIBUTING',
          'docs/maintaining',
          'docs/how-we-know',
          'SECURITY',
          'CODE_OF_CONDUCT',
        ].map((name) => page(`${name}.md`)),
      ),
    ],
  },
  vite: {
    plugins: [vueForPages],
    build: { chunkSizeWarningLimit: 2000 },
  },
  transformPageData: ({ relativePath, frontmatter }) => {
    frontmatter.head = [['link', { rel: 'alternate', type: 'text/markdown', href: `/${relativePath}` }]];
  },
  buildEnd: writeMarkdown,
};
