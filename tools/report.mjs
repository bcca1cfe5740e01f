// A Vitest reporter that writes counts and failures to $TEST_REPORT: `vitest run --reporter=tools/report.mjs`
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * @typedef {object} Report
 * @property {number} passed
 * @property {number} failed every test that failed, and every hook, file or promise that failed outside of one
 * @property {number} skipped
 * @property {string[]} retried tests that failed once and then passed
 * @property {{ title: string, messages: string[] }[]} failures
 * @property {{ file: string, seconds: number }[]} files
 */

/** The stack of a timeout does not contain its message. */
const messagesOf = (errors) =>
  errors.map(({ stack = '', message = '' }) =>
    stack.includes(message) ? stack || 'an error without a message' : `${message}\n${stack}`,
  );

export default class {
  onTestRunEnd(modules, unhandled) {
    /** @type {Report} */
    const report = { passed: 0, failed: 0, skipped: 0, retried: [], failures: [], files: [] };
    const fail = (title, messages) => {
      report.failed++;
      report.failures.push({ title, messages });
    };
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      report.files.push({ file, seconds: module.diagnostic().duration / 1000 });
      for (const test of module.children.allTests()) {
        const { state, errors = [] } = test.result();
        if (state === 'passed') report.passed++;
        if (test.diagnostic()?.flaky) report.retried.push(`${file}: ${test.fullName}`);
        if (state === 'skipped') report.skipped++;
        if (state === 'failed') fail(`${file}: ${test.fullName}`, messagesOf(errors));
      }
      // A failed hook fails its suite but none of its tests. Vitest's JSON reporter leaves it out.
      for (const suite of [module, ...module.children.allSuites()]) {
        const errors = suite.errors();
        if (errors.length > 0)
          fail(suite === module ? file : `${file}: ${suite.fullName}`, messagesOf(errors));
      }
    }
    if (unhandled.length > 0) fail('outside of any test', messagesOf(unhandled));
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(report));
  }
}
