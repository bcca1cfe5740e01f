import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { resolve as shared } from './vite.shared.js';

const source = (name: string) => new URL(`./packages/${name}/src/`, import.meta.url).pathname;

// Unit tests read the packages' sources; browser tests (e2e/) run what was built.
const alias = [
  { find: '@shared', replacement: shared.alias['@shared'] },
  {
    find: /^@embedded-sessions\/(server-types|loader|react|server|service)$/,
    replacement: `${source('$1')}index.ts`,
  },
  {
    find: /^@embedded-sessions\/(server-types|loader|react|server)\/(back-office|schemas|testing|element|playwright|internal)$/,
    replacement: `${source('$1')}$2.ts`,
  },
];

/** At least three, because tests often wait for disks, timers or processes. Each one loads the modules of its project anew. */
const maxWorkers = Math.max(3, availableParallelism());

/** Seed for shuffled runs, which print it. Set `TEST_SEED` to repeat a run's order. */
const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31);

/**
 * `expect.poll` waits almost as long as the test timeout, because a busy machine is slow. It still ends first, so that it
 * reports the last value.
 */
const POLL_OPTIONS = { poll: { timeout: 50_000 } };

/** A package's unit tests. `options` replace the defaults. */
const unit = (
  name: string,
  options: TestProjectInlineConfiguration['test'] = {},
): TestProjectInlineConfiguration => ({
  resolve: { alias },
  test: {
    name: `unit:${name}`,
    root: `packages/${name}`,
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
    maxWorkers,
    // Files without a document share a process, because they restore the globals that they change.
    isolate: options.environment === 'happy-dom',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: POLL_OPTIONS,
    // Resets spies, so that the order of tests doesn't matter.
    restoreMocks: true,
    ...options,
  },
});

const react18 = new URL('packages/react/react-18/node_modules/', import.meta.url).pathname;
/** A realm per file instead of a process, which would spend half of its time loading React and the DOM. */
const IN_REALM = { environment: 'happy-dom', pool: 'vmThreads' } as const;
/** In a realm, a global reports its prototype's members as own properties. This file has to distinguish them. */
const NO_REALM = ['src/script.test.ts'];

const SHARED_CLUSTERS = new URL('packages/service/test/postgres.ts', import.meta.url).pathname;

/** Long test files. They run first, so that none of them runs alone at the end. A fresh clone has no durations yet. */
const LONGEST =
  /(sdk\/(modal|warm|appearance|service)|loader\/(shapes|faults|script-tag)|faults\/(crash|due)|inspector\/(inspector|hands)|examples\/site|pages\/(states|payer|meanwhile|trust|walk|flows)|react\/(react|next)|service\/command-line|payment)\.browser\.test\.ts$|(api\/(back-office|bounded-input)|start\/(serve|turns)|messages\/messages|cli\/ledger|control\/inspector\/inspector|webhooks\/fair|jobs\/(jobs|start|simulation)|store\/(sql-engines|open|expand)|src\/clean|src\/(schemas|openapi))\.test\.ts$/;
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence;
    const place = ({ moduleId }: TestSpecification): number =>
      createHash('sha256').update(`${seed} ${moduleId}`).digest().readUInt32BE();
    const sorted = shuffle
      ? files.toSorted((one, other) => place(one) - place(other))
      : await super.sort(files);
    const isLong = (file: TestSpecification): boolean => LONGEST.test(file.moduleId);
    const longestFirst = [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
    // Vitest reuses a worker only if its next file is of the same project. `runtimes` reads this on Node 20, without groupBy.
    const projects = [...new Set(longestFirst.map(({ project }) => project))];
    return projects.flatMap((project) => longestFirst.filter((file) => file.project === project));
  }
}

export default defineConfig({
  test: {
    tags: [
      {
        name: 'thorough',
        description:
          'More variants or longer runs of tested features. Not in the test command, which is limited to five minutes.',
      },
    ],
    sequence: { sequencer: LongestFirst, seed },
    projects: [
      unit('server-types'),
      unit('loader', { ...IN_REALM, exclude: NO_REALM }),
      unit('loader', { name: 'unit:loader-script', environment: 'happy-dom', include: NO_REALM }),
      unit('react', IN_REALM),
      {
        ...unit('react', {
          ...IN_REALM,
          // Not `unit:…`, so that the test command skips it.
          name: 'react-18',
          // Tests that don't depend on the React version run once.
          exclude: ['src/{build,clean,controller,error,flow-state,readme}.test.ts'],
        }),
        resolve: {
          alias: [
            ...alias,
            { find: /^(react|react-dom|@testing-library\/react)(\/.*)?$/, replacement: `${react18}$1$2` },
          ],
        },
      },
      unit('server'),
      unit('service', { globalSetup: SHARED_CLUSTERS }),
      unit('hosted'),
      unit('inspector'),
      {
        // Like a merchant's, these tests run what was built, and Node loads it.
        test: {
          name: 'unit:examples',
          server: { deps: { external: [/\/packages\/[\w-]+\/dist\//] } },
          root: 'examples',
          include: ['*/**/*.test.ts'],
          maxWorkers,
          exclude: ['**/node_modules/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: POLL_OPTIONS,
        },
      },
      {
        test: {
          name: 'browser',
          root: 'e2e',
          include: ['**/*.browser.test.ts'],
          exclude: ['**/node_modules/**'],
          globalSetup: SHARED_CLUSTERS,
          // Longer than all waits of a test on a busy machine. A single click has 30 s.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Poll less often than by default, because each poll is a round trip to a busy browser.
          expect: { poll: { ...POLL_OPTIONS.poll, interval: 150 } },
          // Tests often wait for a process or a timer, but each worker has a browser of its own. Five take a tenth more CPU time.
          maxWorkers: 3,
          // Load modules once per worker. Each file opens and closes its own browsers and services.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      // Run by `pnpm judges`, which installs the tools that they need.
      {
        test: {
          name: 'judges',
          root: 'e2e',
          include: ['judges/*.judge.ts'],
          testTimeout: 600_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
