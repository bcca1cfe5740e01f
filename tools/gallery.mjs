// `pnpm gallery`: makes every picture of the docs from the build: the site and its payment at 320 px and 1280 px, the inspector's
// screens at 375 px and 1280 px, light and dark, then every state of the hosted pages with docs/flows.md. `pnpm gallery site`,
// `pnpm gallery inspector` and `pnpm gallery pages` make one of the three. `pnpm gallery every FOLDER LANGUAGE` makes every state of
// the hosted pages in every look, and contact sheets, for a person to review.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { payOnce } from './demo-check.mjs';
import { startStack } from './demo-stack.mjs';
import { CHROMIUM_ARGUMENTS, findEngine } from './engines.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
// For the browsers that this script and those below launch. Without Inter, they use the system's font.
process.env['FONTCONFIG_FILE'] = new URL('gallery-fonts.conf', import.meta.url).pathname;
const { chromium } = createRequire(new URL('../e2e/package.json', import.meta.url))('playwright-core');
const folder = 'docs/screenshots';
mkdirSync(folder, { recursive: true });

const wanted = process.argv[2] ?? 'all';
if (wanted !== 'pages' && wanted !== 'every') await withStack();
if (wanted === 'all' || wanted === 'pages' || wanted === 'every') await import('../e2e/pages/gallery.mjs');

async function withStack() {
  const stack = await startStack();
  const browser = await chromium.launch({ executablePath: findEngine('chromium'), args: CHROMIUM_ARGUMENTS });
  try {
    if (wanted !== 'inspector') await site(stack, browser);
    if (wanted !== 'site') await inspector(stack, browser);
  } finally {
    await browser.close();
    await stack.stop();
  }
}

function displaysAt(...widths) {
  return widths.flatMap((width) => ['light', 'dark'].map((scheme) => ({ width, scheme })));
}

async function site(stack, browser) {
  for (const display of displaysAt(320, 1280)) {
    // The whole form fits.
    const { page, shoot, close } = await open(browser, display, 1_000);
    await page.goto(stack.plainUrl);
    await shoot('plain');
    await page.goto(stack.reactUrl);
    const pay = page.getByRole('button', { name: /^Pay \$/ });
    await pay.waitFor();
    await shoot('account');
    await pay.click();
    const frame = page.frameLocator('iframe');
    await frame.getByText('Your payment details').waitFor();
    await frame.getByLabel('Card number').fill('4242 4242 4242 4242');
    await shoot('payment');
    await close();
  }
}

async function inspector(stack, browser) {
  const [base, token] = stack.inspectorUrl.split('/#');
  const post = async (path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(base + path, { headers, ...init })).json();
  };
  // Creates one entry of each kind: a paid bill with a refund, a decline, an error, a fault, a bank payment.
  const { requestId } = await createActivity(stack, post);
  const sessions = await post('/sessions');
  const paid = sessions.find(({ status }) => status === 'Succeeded').id;
  const webhooks = await post('/webhooks');
  const [message] = await post('/mail');
  const screens = {
    timeline: '/',
    errors: '/?level=error',
    request: `/requests/${requestId}`,
    sessions: '/sessions',
    session: `/sessions/${paid}`,
    webhooks: '/webhooks',
    webhook: `/webhooks/${webhooks.find(({ sessionId }) => sessionId === paid).id}`,
    mail: '/mail',
    message: `/mail/${message.id}`,
    clock: '/clock',
    faults: '/faults',
    try: '/try',
  };
  for (const display of displaysAt(375, 1280)) {
    const { page, shoot, close } = await open(browser, display);
    for (const [name, path] of Object.entries(screens)) {
      await page.goto(`${base}${path}#${token}`);
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByText('Loading…').waitFor({ state: 'detached' });
      if (name === 'message')
        await page.frameLocator('iframe').getByText('$').filter({ visible: true }).first().waitFor();
      await shoot(`inspector-${name}`);
    }
    await close();
  }
}

async function createActivity(stack, post) {
  await payOnce(stack);
  const [{ slug }] = (await post('/about')).businessUnits;
  const account = { AccountNumber: '0136064-01', Name: 'Ana Reyes', Balance: 7630, DueDate: '2026-12-09' };
  const body = {
    BusinessUnitSlug: slug,
    Channel: 'QuickPay',
    Charges: [{ Amount: 7630, ClientAccount: account }],
  };
  const path = '/integrations/embedded/initiate';
  const made = await post('/try', { path, body, idempotencyKey: 'bill-2026-11' });
  const pay = (id, last4, method = 'Credit Card') => post(`/sessions/${id}/pay`, { method, last4 });
  await pay(made.sessionId, '0002');
  await pay(made.sessionId, '4242');
  const [payment] = (await post(`/sessions/${made.sessionId}`)).payments.filter(
    ({ status }) => status === 'succeeded',
  );
  await post(`/sessions/${made.sessionId}/refund`, { paymentId: payment.id, amount: 1000 });
  await post('/try', { path, body: { ...body, Charges: [] } });
  const pending = await post('/try', { path, body });
  await post('/faults', { kind: 'drop-after-commit', path: '/s/*/api/pay' });
  await pay(pending.sessionId, '6789', 'ACH');
  await post('/faults', { kind: 'status', path: '/integrations', status: 503, times: 3 });
  await post('/try', { path, body });
  return made;
}

async function open(browser, { width, scheme }, height = 820) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  return {
    page,
    shoot: (name) => page.screenshot({ path: `${folder}/${name}-${width}-${scheme}.png` }),
    close: () => context.close(),
  };
}
