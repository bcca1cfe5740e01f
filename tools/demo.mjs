// `pnpm demo` runs the whole system until Ctrl-C. `pnpm demo --check` makes one payment in headless Chromium.
import { whenLauncherEnds } from './launcher.mjs';
import { run, step } from './steps.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
const checking = process.argv.includes('--check');

const built = await step('build', () => run(process.execPath, ['tools/build.mjs']));
if (!built) process.exit(1);
// Imported after the build, because it imports what was built.
const { startStack } = await import('./demo-stack.mjs');

const starting = startStack();
let ending;
const finish = (code) => {
  ending ??= starting
    .then(
      (stack) => stack.stop(),
      () => {},
    )
    .finally(() => process.exit(code));
  return ending;
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void finish(0));
whenLauncherEnds(() => void finish(0));

try {
  const stack = await starting;
  if (ending) await finish(0);
  else if (checking) {
    const { payOnce } = await import('./demo-check.mjs');
    console.log(await payOnce(stack));
    await finish(0);
  } else {
    const { reactUrl, plainUrl, inspectorUrl, operator } = stack;
    console.log(`
Harborlight Water is open. Test card: 4242 4242 4242 4242, any future date, any three digits.

  React app      ${reactUrl}
                 Press Pay and pay the bill. It is shown as paid once the backend has confirmed it.
                 All seven flows, in a window or in the page. At the bottom: a link that tries
                 the staging session with the production loader.
  Plain page     ${plainUrl}
                 The same customer, with script tags alone: Pay, and Manage AutoPay.
  Staging        ${operator.staging.baseUrl}
                 The service behind both pages. Its API: ${operator.staging.baseUrl}/openapi.json
  Inspector      ${inspectorUrl}
                 Requests, sessions, webhooks and the clock of the staging service, live.
  Production     ${operator.production.baseUrl}
                 The same service without a payment processor, to show that it refuses payments.

Press Ctrl-C to stop.`);
    const reason = await stack.ended;
    if (!ending) throw new Error(reason);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await finish(1);
}
