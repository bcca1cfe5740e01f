// Stryker's options for one part, which `run.mjs` names in $MUTANTS_PART.
import { fileURLToPath } from 'node:url';
import { PARTS } from './parts.mjs';

const part = process.env.MUTANTS_PART;

export default {
  plugins: [fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner'))],
  testRunner: 'vitest',
  vitest: { configFile: 'tools/mutants/vitest.config.ts' },
  mutate: [...PARTS[part].mutate, '!**/*.{test,test-d,fixture,contract}.*'],
  // Stryker would rewrite tsconfig.json with an API that TypeScript 7 doesn't have. No test needs that.
  tsconfigFile: 'none',
  // Tests compare files with the docs, and nothing checks types here.
  disableTypeChecks: false,
  ignorePatterns: ['/.*', '/docs/screenshots'],
  // A mutant that takes effect while a module loads needs a new process for each test run.
  ignoreStatic: true,
  incremental: true,
  incrementalFile: `.mutants/${part}.incremental.json`,
  tempDirName: `.mutants/sandbox-${part}`,
  reporters: ['progress-append-only', 'json', 'html'],
  jsonReporter: { fileName: `.mutants/${part}.json` },
  htmlReporter: { fileName: `.mutants/${part}.html` },
  timeoutMS: 20_000,
};
