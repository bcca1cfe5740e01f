// The service's contract suite with every call sent through Prism: see through-prism.ts.
import { defineConfig } from 'vitest/config';
import root from '../../vitest.config.js';

type Project = { test: { name: string } };
const { projects, tags } = (root as { test: { projects: Project[]; tags: { name: string }[] } }).test;
const service = projects.find(({ test }) => test.name === 'unit:service');

export default defineConfig({
  ...service,
  test: {
    ...service?.test,
    tags,
    include: ['src/{api,sessions}/*.test.ts', 'src/accounts/sync-requests.test.ts'],
    setupFiles: [new URL('through-prism.ts', import.meta.url).pathname],
    hookTimeout: 300_000,
    // Timing tests are excluded, because the proxy adds delay.
    exclude: ['src/api/bounded-input.test.ts'],
    testNamePattern: '^(?!.*(429|body never arrives|takes a fraction of the time))',
  },
});
