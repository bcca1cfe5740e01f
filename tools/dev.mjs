// `pnpm dev` runs the demo until Ctrl-C, and rebuilds and restarts it at the same addresses when a source changes.
import { existsSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { startStack } from './demo-stack.mjs';
import { whenLauncherEnds } from './launcher.mjs';
import { freePorts } from './ports.mjs';
import { run, step } from './steps.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
/** Debounce, because editors write several files in a row and some of them twice. */
const QUIET_MS = 150;

const ports = await freePorts(5);
let stack = null;
let isChanged = true;
let wake = () => {};
let timer;
const changed = () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    isChanged = true;
    wake();
  }, QUIET_MS);
};

for (const parent of ['packages', 'examples'])
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    const source = join(folder, 'src');
    if (existsSync(source)) watch(source, { recursive: true }, changed);
    else if (existsSync(join(folder, 'package.json'))) watch(folder, changed);
  }

const stop = () => {
  wake = () => {};
  void Promise.resolve(stack?.stop()).finally(() => process.exit(0));
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
whenLauncherEnds(stop);

while (true) {
  if (!isChanged) await new Promise((resolve) => (wake = resolve));
  isChanged = false;
  if (!(await step('build', () => run(process.execPath, ['tools/build.mjs'])))) continue;
  try {
    await stack?.stop();
    stack = null;
    stack = await startStack({ ports });
    console.log(
      `React app ${stack.reactUrl} · plain page ${stack.plainUrl} · staging ${stack.operator.staging.baseUrl}`,
    );
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}
