// The repository's URL, for links from the site to files that aren't pages.
import { readFileSync } from 'node:fs';

export const ROOT = new URL('..', import.meta.url).pathname;
const { repository } = JSON.parse(readFileSync(`${ROOT}packages/loader/package.json`, 'utf8'));

/** @param {string} path from the root of the repository */
export const fileInRepository = (path) => `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/${path}`;

/** Globs of the pages, from the root. */
export const PAGES = [
  'docs/**/*.md',
  'decisions/*.md',
  'packages/{loader,react,server,server-types}/GUIDE.md',
  'packages/service/README.md',
  'packages/server/docs/*.md',
  'bench/README.md',
  '{ARCHITECTURE,CODE_OF_CONDUCT,CONTRIBUTING,SECURITY}.md',
];
