// What is broken on purpose, part by part, and by which unit tests it is judged.
import { readFileSync } from 'node:fs';

/** Breakages that once were put in by hand and that no test noticed: each with what it would mean. */
const KNOWN = JSON.parse(readFileSync(new URL('known.json', import.meta.url), 'utf8'));
const service = 'packages/service/src';
/** Tests of the service in one process, each part's own. */
const its = (...names) => names.map((name) => `${service}/${name}.test.ts`);
/** Browser tests of the loader. */
const page = (...names) => names.map((name) => `e2e/loader/${name}.browser.test.ts`);
const PAGES = its('hosted-pages/api/*', 'processor/*', 'payments/*', 'wallet/*');

export const PARTS = {
  known: {
    project: 'service',
    known: KNOWN,
    files: [...new Set(KNOWN.map(({ file }) => file))],
    tests: [...PAGES, ...its('**/rules/*', 'core/*', 'api/*', 'sessions/*', 'jobs/*', 'webhooks/*')],
  },
  domain: {
    project: 'service',
    files: [`${service}/*/rules.ts`, `${service}/*/rules/*.ts`, `${service}/core/*.ts`],
    tests: [
      ...PAGES,
      ...its('**/rules/*', 'core/*', 'api/*', 'sessions/*', 'jobs/*', 'webhooks/*', 'control/*', 'cli/*'),
    ],
  },
  'page-pay': {
    project: 'service',
    files: [
      `${service}/payments/paying.ts`,
      `${service}/wallet/adding.ts`,
      `${service}/hosted-pages/api/*.ts`,
    ],
    tests: [...PAGES, ...its('platform/http/guesses', 'jobs/rollout')],
  },
  endpoint: {
    project: 'service',
    files: [`${service}/api/endpoint.ts`],
    tests: its('api/*', 'sessions/*', 'platform/http/*', 'control/*'),
  },
  processor: {
    project: 'service',
    files: [`${service}/processor/*.ts`, `${service}/{payments,refunds,wallet}/*ing.ts`],
    tests: [...PAGES, ...its('jobs/*', 'control/*', 'api/back-office*')],
  },
  jobs: {
    project: 'service',
    files: [`${service}/jobs/*.ts`, `${service}/webhooks/*.ts`],
    tests: its('jobs/*', 'webhooks/*', 'processor/*', 'api/back-office', 'control/*'),
  },
  server: {
    project: 'server',
    files: ['packages/server/src/*.ts'],
    tests: ['packages/server/src/*.test.ts'],
  },
  react: {
    project: 'react',
    document: true,
    files: ['packages/react/src/*.ts', 'packages/react/src/*.tsx'],
    tests: ['packages/react/src/*.test.ts', 'packages/react/src/*.test.tsx'],
  },
  loader: {
    project: 'loader',
    document: true,
    files: ['packages/loader/src/*.ts'],
    tests: ['packages/loader/src/*.test.ts'],
    // Asked about what no unit test has noticed.
    browser: {
      folder: 'packages/loader',
      name: 'loader',
      tests: page('script-tag', 'faults', 'readme', 'element', 'flows', 'shapes'),
    },
  },
};

/** Sources that hold no code that runs there, or that are tests' own. */
export const NEVER = /\.(test|test-d|fixture|contract|double)\.tsx?$|\.d\.ts$|\/(simulation|test-)[^/]*$/;
/**
 * Tests that are not asked about mutants: they play thousands of histories, look at what is built, or run once in a
 * process: the examples know for ever the address that they were loaded with.
 */
export const NOT_ASKED =
  /\/(simulation|generated)\.test\.ts$|^packages\/(server\/src\/docs|react\/src\/build)\.test\.ts$/;
