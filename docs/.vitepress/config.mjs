import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { writeMarkdown } from '../markdown.mjs';
import { slug } from '../slug.mjs';
import { fileInRepository, ROOT } from '../repository.mjs';

/** Pages lie outside this package: where they are, Vue is not found. */
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
// The sidebar takes HTML: a title such as `<embedded-flow>` would be an element that shows nothing.
const page = (path, text = titleOf(path)) => ({
  text: text.replaceAll('<', '&lt;'),
  link: `/${siteOf(path)}`,
});
const pagesIn = (folder) =>
  readdirSync(join(ROOT, folder))
    .filter((file) => file.endsWith('.md'))
    .toSorted((a, b) => a.localeCompare(b))
    .map((file) => page(`${folder}/${file}`));

/** Where a page of the repository stands on the site. @param {string} path */
function siteOf(path) {
  return path
    .replace(/^docs\//, '')
    .replace(/^packages\/([^/]+)\/README\.md$/, 'packages/$1.md')
    .replace(/^packages\/server\/docs\//, 'packages/server-')
    .replace(/^bench\/README\.md$/, 'performance-measured.md')
    .replace(/^[A-Z_]+\.md$/, (name) => name.toLowerCase().replaceAll('_', '-'));
}

/** Links are written as they work in the repository: here they lead to pages, or to the repository's files. */
function linkFiles(md) {
  md.core.ruler.push('files-of-the-repository', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'html_inline')
        token.content = token.content.replace(/ src="(?=screenshots)/, ' src="./');
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href === null || /^(\w+:|#|\/)/.test(href)) continue;
      const [path, anchor] = href.split('#');
      const target = relative(ROOT, join(dirname(env.realPath ?? env.path), decodeURI(path)));
      const page = [target, `${target}/README.md`, `${target}/index.md`].find(isPage);
      const address = page === undefined ? fileInRepository(target) : `/${siteOf(page)}`;
      token.attrSet('href', anchor === undefined ? address : `${address}#${anchor}`);
    }
  });
}

/** A column without a name has no header: an empty one is read out as a header all the same. */
function nameColumns(md) {
  md.core.ruler.push('headers-with-names', ({ tokens }) => {
    for (const [at, token] of tokens.entries())
      if (token.type === 'th_open' && tokens[at + 1].content === '') {
        token.tag = 'td';
        tokens[at + 2].tag = 'td';
      }
  });
}

/** One that folds leads somewhere too: else all of it is a button, with another one in it. */
const folded = (text, items) => ({ text, collapsed: true, link: items[0].link, items });

const isPage = (path) =>
  path.endsWith('.md') &&
  path !== 'README.md' &&
  !path.startsWith('examples/') &&
  existsSync(join(ROOT, path));

/**
 * A code is one word, whole: who looks for `origin_not_allowed` does not mean `not_allowed`. Its parts are words too.
 * Pages to read come before records and before what is written from the code. These functions are sent as their text.
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

/** In the page itself: a browser that is told of none asks for /favicon.ico. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#3451b2"/><rect x="4" y="5" width="8" height="6" rx="1" fill="#fff"/></svg>',
)}`;

export default {
  title: 'Embedded Sessions',
  description: "Payments and account flows of an operator, on a merchant's own page.",
  lang: 'en',
  head: [['link', { rel: 'icon', href: ICON }]],
  srcDir: '..',
  srcExclude: ['**/node_modules/**', '{e2e,examples,tools}/**', 'README.md', '**/CHANGELOG.md', '.*/**'],
  rewrites: siteOf,
  cleanUrls: true,
  lastUpdated: false,
  markdown: {
    // An address is a code as it is written, `#csp_blocked` and `#referenceConflict`; elsewhere as GitHub does it.
    anchor: { slugify: slug },
    config: (md) => md.use(linkFiles).use(nameColumns),
    // Comments and names of the usual themes are too faint to read.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    search: { provider: 'local', options: { miniSearch: FINDS } },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start/' },
      { text: 'Errors', link: '/errors/' },
      { text: 'Reference', link: '/reference/' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: ['index', 'react', 'script-tag', 'element', 'next'].map((name) =>
          page(`docs/start/${name}.md`),
        ),
      },
      {
        text: 'Build',
        items: [
          'flows',
          'words',
          'test-data',
          'inspector',
          'webhooks',
          'testing',
          'from-service',
          'going-live',
          'operating',
        ].map((name) => page(`docs/${name}.md`)),
      },
      {
        text: 'Errors',
        items: ['index', 'loader', 'react', 'server', 'service'].map((name) =>
          page(`docs/errors/${name}.md`),
        ),
      },
      {
        text: 'Reference',
        items: [
          page('docs/reference/index.md', 'All of it'),
          page('docs/reference/http.md', 'HTTP API'),
          ...['loader', 'react', 'server', 'server-types'].map((name) => ({
            text: name,
            link: `/reference/${name}/`,
          })),
          page('docs/contract.md'),
        ],
      },
      folded(
        'Packages',
        ['loader', 'react', 'server', 'server-types', 'service'].map((name) =>
          page(`packages/${name}/README.md`, name),
        ),
      ),
      {
        text: 'Quality',
        items: ['how-we-know', 'reliability', 'performance', 'accessibility'].map((name) =>
          page(`docs/${name}.md`),
        ),
      },
      folded('Decisions', pagesIn('decisions')),
      folded(
        'Project',
        ['ARCHITECTURE', 'CONTRIBUTING', 'docs/maintaining', 'SECURITY', 'CODE_OF_CONDUCT'].map((name) =>
          page(`${name}.md`),
        ),
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
