import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
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

/** Vitest itself has next to nothing to do, and much of a test is waiting, for a disk, a timer or a process. */
const maxWorkers = Math.max(4, availableParallelism());

/** Of the order of tests and files where a run shuffles them, which prints it: `TEST_SEED=…` has that order again. */
const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31);

/**
 * A busy machine is slow, and a test that hangs is found all the same. What a test awaits may take nearly as long as the
 * shortest test may: a failed one reports what it saw.
 */
const PATIENT = { poll: { timeout: 50_000 } };

const unit = (name: string, environment: 'node' | 'happy-dom' = 'node') => ({
  resolve: { alias },
  test: {
    name: `unit:${name}`,
    root: `packages/${name}`,
    environment,
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
    maxWorkers,
    // Without a document a test gives back after itself what it changed of the globals: no process for each file.
    isolate: environment !== 'node',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: PATIENT,
    // Resets spies, so that the order of tests doesn't matter.
    restoreMocks: true,
  },
});

const react18 = new URL('packages/react/react-18/node_modules/', import.meta.url).pathname;
const onReact = unit('react', 'happy-dom');
// A realm for each file instead of a process: half of what the files cost is otherwise to read React and the DOM anew.
onReact.test = { ...onReact.test, pool: 'vmThreads' };
const onLoader = unit('loader', 'happy-dom');
/** In a realm, a global reports its prototype's members as its own. This file has to distinguish them. */
const NO_REALM = ['src/script.test.ts'];

const SHARED_CLUSTERS = new URL('packages/service/test/postgres.ts', import.meta.url).pathname;
const ofService = unit('service');

/** The longest first, so that no long one runs alone at the end. A fresh clone has no durations yet. */
const LONGEST =
  /(sdk\/(modal|warm)|loader\/(shapes|faults)|faults\/(crash|due)|inspector\/(inspector|hands)|examples\/site|pages\/(states|payer|meanwhile|trust|walk)|react\/next|service\/command-line|payment)\.browser\.test\.ts$|(api\/back-office|start\/(serve|turns)|webhooks\/fair|jobs\/(jobs|simulation)|store\/(sql-engines|open)|src\/clean|src\/(schemas|openapi))\.test\.ts$/;
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
    // A worker is used again only if its next file is of the same project.
    return [...Map.groupBy(longestFirst, ({ project }) => project).values()].flat();
  }
}

export default defineConfig({
  test: {
    tags: [
      {
        name: 'thorough',
        description:
          'The same feature by another means, or at length. Not in the test command, which is limited to five minutes.',
      },
    ],
    sequence: { sequencer: LongestFirst, seed },
    projects: [
      unit('server-types'),
      { ...onLoader, test: { ...onLoader.test, pool: 'vmThreads', exclude: NO_REALM } },
      { ...onLoader, test: { ...onLoader.test, name: 'unit:loader-script', include: NO_REALM } },
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
          exclude: ['src/{build,clean,controller,error,flow-state,readme}.test.ts'],
        },
      },
      unit('server'),
      { ...ofService, test: { ...ofService.test, globalSetup: SHARED_CLUSTERS } },
      unit('hosted'),
      unit('inspector'),
      {
        resolve: { alias },
        test: {
          name: 'unit:examples',
          root: 'examples',
          include: ['*/**/*.test.ts'],
          maxWorkers,
          exclude: ['**/node_modules/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: PATIENT,
        },
      },
      {
        test: {
          name: 'browser',
          root: 'e2e',
          include: ['**/*.browser.test.ts'],
          exclude: ['**/node_modules/**'],
          globalSetup: SHARED_CLUSTERS,
          // Longer than what is awaited in it, one after the other, on a busy machine; a click alone has 30 s.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each look is a round trip to a browser that has other things to do: not twenty of them a second.
          expect: { poll: { ...PATIENT.poll, interval: 150 } },
          // Much of a browser test is waiting, for a process to start or for a clock.
          maxWorkers: 5,
          // A file opens and closes what it uses; what it imports is read once in a worker.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      // `pnpm judges`, which installs what they need.
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
