// What a run of Vitest came to, for those who count: `vitest run --reporter=tools/report.mjs` writes it to $TEST_REPORT.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * @typedef {object} Report
 * @property {number} passed
 * @property {number} failed every test that failed, and every hook, file or promise that failed outside of one
 * @property {number} skipped
 * @property {{ title: string, messages: string[], isSecondTry: boolean }[]} remarks
 * @property {{ file: string, seconds: number }[]} files
 */

/** Of a test whose time was over the stack does not hold the message. */
const told = (errors) =>
  errors.map(({ stack = '', message = '' }) =>
    stack.includes(message) ? stack || 'an error without words' : `${message}\n${stack}`,
  );

export default class {
  onTestRunEnd(modules, unhandled) {
    /** @type {Report} */
    const report = { passed: 0, failed: 0, skipped: 0, remarks: [], files: [] };
    const remark = (title, messages, isSecondTry = false) => {
      if (!isSecondTry) report.failed++;
      report.remarks.push({ title, messages, isSecondTry });
    };
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      report.files.push({ file, seconds: module.diagnostic().duration / 1000 });
      for (const test of module.children.allTests()) {
        const { state, errors = [] } = test.result();
        if (state === 'passed') report.passed++;
        if (state === 'skipped') report.skipped++;
        const isSecondTry = state === 'passed';
        if (errors.length > 0) remark(`${file}: ${test.fullName}`, told(errors), isSecondTry);
      }
      // A hook fails its suite and no test of it, which the JSON of Vitest's own reporter does not say.
      for (const suite of [module, ...module.children.allSuites()]) {
        const errors = suite.errors();
        if (errors.length > 0) remark(suite === module ? file : `${file}: ${suite.fullName}`, told(errors));
      }
    }
    if (unhandled.length > 0) remark('outside of any test', told(unhandled));
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(report));
  }
}
