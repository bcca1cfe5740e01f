// The service's contract suite with every call sent through Prism: see through-prism.ts.
import { defineConfig } from 'vitest/config';
import root from '../../vitest.config.js';

type Project = { test: { name: string } };
const projects = (root as { test: { projects: Project[] } }).test.projects;
const service = projects.find(({ test }) => test.name === 'unit:service');

export default defineConfig({
  ...service,
  test: {
    ...service?.test,
    include: ['src/http/merchant/*.test.ts'],
    setupFiles: [new URL('through-prism.ts', import.meta.url).pathname],
    hookTimeout: 300_000,
    // Timing tests are excluded, because the proxy adds delay.
    testNamePattern: '^(?!.*(429|body never comes))',
  },
});
