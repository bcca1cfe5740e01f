import { defineConfig } from 'vitest/config';

const source = (name: string) => new URL(`./packages/${name}/src/`, import.meta.url).pathname;

// Unit tests read the packages' sources; browser tests (e2e/) run what was built.
const alias = [
  {
    find: /^@embedded-sessions\/(server-types|loader|react|server|service)$/,
    replacement: `${source('$1')}index.ts`,
  },
  {
    find: /^@embedded-sessions\/(server-types|loader|react|server)\/(schemas|testing)$/,
    replacement: `${source('$1')}$2.ts`,
  },
];

const unit = (name: string, environment: 'node' | 'happy-dom' = 'node') => ({
  resolve: { alias },
  test: {
    name: `unit:${name}`,
    root: `packages/${name}`,
    environment,
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
    // A busy machine is slow, and a test that hangs is found all the same.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});

const react18 = new URL('packages/react/react-18/node_modules/', import.meta.url).pathname;
const onReact = unit('react', 'happy-dom');

export default defineConfig({
  test: {
    projects: [
      unit('server-types'),
      unit('loader', 'happy-dom'),
      onReact,
      {
        resolve: {
          alias: [
            ...alias,
            { find: /^(react|react-dom|@testing-library\/react)(\/.*)?$/, replacement: `${react18}$1$2` },
          ],
        },
        test: {
          ...onReact.test,
          name: 'unit:react-18',
          // What knows no React, or no version of it, runs once.
          exclude: ['src/{build,clean,controller,flow-state}.test.ts'],
        },
      },
      unit('server'),
      unit('service'),
      {
        resolve: { alias },
        test: {
          name: 'unit:examples',
          root: 'examples',
          include: ['*/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
        },
      },
      {
        test: {
          name: 'browser',
          root: 'e2e',
          include: ['**/*.browser.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
