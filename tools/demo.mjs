// `pnpm demo`: everything on this machine, until Ctrl-C. `pnpm demo --check`: one payment in headless Chromium.
import { whenLauncherEnds } from './launcher.mjs';
import { run, step } from './steps.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
const checking = process.argv.includes('--check');

const built = await step('build', () => run(process.execPath, ['tools/build.mjs']));
if (!built) process.exit(1);
// Only now: what these import has just been built.
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
Harborlight Water is open. Test card: 4242 4242 4242 4242, any expiry to come, any three digits.

  React app      ${reactUrl}
                 Press Pay and pay the bill; it is shown as paid once the backend has confirmed it.
                 All seven flows, in a window or in the page. At the bottom: the switch that tries
                 the staging session with the production loader.
  Plain page     ${plainUrl}
                 The same customer, with script tags alone: Pay, and Manage AutoPay.
  Staging        ${operator.staging.baseUrl}
                 The service behind both. ${operator.staging.baseUrl}/openapi.json is its API.
  Inspector      ${inspectorUrl}
                 What the staging service does, as it happens: requests, sessions, webhooks, the clock.
  Production     ${operator.production.baseUrl}
                 The same service without a payment processor: it exists to be refused.

Ctrl-C ends all of it.`);
    const reason = await stack.ended;
    if (!ending) throw new Error(reason);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await finish(1);
}
