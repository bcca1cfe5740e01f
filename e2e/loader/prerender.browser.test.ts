// @module-tag thorough
/** A merchant's page that the browser prerenders (Speculation Rules). */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { renderAhead, REPORT_SCRIPT, type Ahead, type Origin } from '../harness/index.js';
import { sdk, startMerchant } from './faults.js';

let merchant: Origin;
let ahead: Ahead;
beforeAll(async () => {
  merchant = await startMerchant();
  merchant.routes['/app/embedded.loader.js'] = {
    type: 'text/javascript',
    body: `${sdk('staging')} Service.warm = async () => say('warmed');`,
  };
});
afterEach(() => ahead.stop());
afterAll(() => merchant.stop());

const page = (work: string) => `<!doctype html><html lang="en"><title>Pay</title>${REPORT_SCRIPT}
  <script type="module">
    import { createLoader } from '/loader/index.js';
    const loader = createLoader({ environment: 'staging', loaderUrl: location.origin + '/app/embedded.loader.js' });
    const onEvent = ({ type }) => say(type);
    const pay = async (signal) => (await loader.load({ signal })).completePayment(location.origin + '/s/1', { onEvent });
    ${work}
    setTimeout(() => say('asked'), 100);
  </script></html>`;

it.each([
  ['opens no flow', 'void pay();', 'opened'],
  ['prepares nothing', 'void loader.warm();', 'warmed'],
])('R-1 a prerendered page %s before it is visited', async (_, work, then) => {
  merchant.routes['/pay'] = page(work);
  ahead = await renderAhead(merchant, '/pay');
  await expect.poll(() => ahead.reports).toContain('asked');
  ahead.visit();
  await expect.poll(() => ahead.reports).toEqual(['ahead', 'asked', 'visited', then]);
});

it('R-1 a flow that is aborted before the visit settles immediately and does not open', async () => {
  merchant.routes['/pay'] = page(`
    const leave = new AbortController();
    pay(leave.signal).catch(({ code }) => say(code));
    leave.abort();
    document.addEventListener('prerenderingchange', () => setTimeout(() => say('nothing more'), 200));`);
  ahead = await renderAhead(merchant, '/pay');
  await expect.poll(() => ahead.reports).toContain('asked');
  ahead.visit();
  await expect.poll(() => ahead.reports).toEqual(['ahead', 'aborted', 'asked', 'visited', 'nothing more']);
});
