// The unit tests of one part's package, as Stryker runs them: in its sandbox, one worker, nothing retried.
import { defineConfig } from 'vitest/config';
import root from '../../vitest.config.js';
import { PARTS } from './parts.mjs';

type Project = { test: { name: string } };
const { projects, tags } = (root as { test: { projects: Project[]; tags: { name: string }[] } }).test;
const part = PARTS[process.env['MUTANTS_PART'] ?? ''];
const chosen = projects.find(({ test }) => test.name === `unit:${part?.project}`);

export default defineConfig({
  ...chosen,
  test: {
    ...chosen?.test,
    // Thorough tests repeat what others test.
    tags: tags.map((tag) => ({ ...tag, skip: true })),
    // Thousands of generated histories, or tests of the build: too slow to repeat for each mutant. Stryker's threads can't
    // change their folder. Replaces the project's own `exclude`, because they have no realms.
    exclude: ['src/**/{simulation,generated,clean,build,docs,command-line}.test.ts'],
  },
});
