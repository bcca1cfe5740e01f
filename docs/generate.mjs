// Writes what the site says from the code itself: the error pages, and the reference of packages and HTTP API.
// `--check` writes nothing, and fails where the error pages in the repository are not what would be written.
import { readFileSync, writeFileSync } from 'node:fs';
import { ERROR_PAGES } from './errors/pages.mjs';

/** @returns {string[]} pages that differ from their source */
export const staleErrorPages = () =>
  Object.entries(ERROR_PAGES).flatMap(([name, text]) =>
    readFileSync(new URL(`errors/${name}`, import.meta.url), 'utf8') === text ? [] : [`docs/errors/${name}`],
  );

export function writeErrorPages() {
  for (const [name, text] of Object.entries(ERROR_PAGES))
    writeFileSync(new URL(`errors/${name}`, import.meta.url), text);
}
