// @module-tag thorough
/** Loader and SDK in WebKitGTK, on the same pages as in Chromium and Firefox. */
import { Key } from 'selenium-webdriver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasWebKit, launchWebKit, type WebKit } from '../harness/index.js';
import { library, payPage, startStage, type Stage } from './stage.js';

describe.skipIf(!hasWebKit)('in WebKitGTK', () => {
  let stage: Stage;
  let webkit: WebKit;

  beforeAll(async () => {
    [stage, webkit] = await Promise.all([startStage(), launchWebKit()]);
    await webkit.driver.manage().setTimeouts({ script: 60_000, pageLoad: 60_000 });
  });
  afterAll(async () => {
    await webkit?.close();
    await stage?.stop();
  });

  const visit = async (script = '', body = '', mode = 'plain') => {
    stage.merchant.routes['/page'] = payPage(stage, script, body, mode);
    await webkit.driver.switchTo().defaultContent();
    await webkit.driver.get(`${stage.merchant.url}/page`);
  };
  const evaluate = <T>(script: string, ...given: unknown[]) =>
    webkit.driver.executeScript<T>(script, ...given);
  const until = (condition: string, ms = 10_000) =>
    webkit.driver.wait(() => evaluate<boolean>(`return !!(${condition})`), ms, condition);
  const click = async (css: string) => (await webkit.driver.findElement({ css })).click();
  /** Opens the modal and switches to its frame. */
  const open = async () => {
    await click('#pay');
    await until(`document.querySelector('[data-state=ready] > iframe')`);
    // For half a second, a status covers the frame to block the second click of a double click.
    await webkit.driver.sleep(600);
    await webkit.driver.switchTo().frame(await webkit.driver.findElement({ css: 'dialog iframe' }));
  };
  const press = async (name: string) =>
    (await webkit.driver.findElement({ xpath: `//button[text()="${name}"]` })).click();
  const type = (keys: string) => webkit.driver.actions().sendKeys(keys).perform();
  const result = async (ms?: number) => {
    await webkit.driver.switchTo().defaultContent();
    await until('window.result', ms);
    return evaluate<unknown>('return window.result');
  };
  const isClosed = () => until(`!document.querySelector('dialog[id]')`);

  it.each<[string, string]>([
    ['without libraries', ''],
    [
      'with Prototype.js',
      `Element.prototype.remove = function () { this.parentNode.removeChild(this); return this; };
       Array.prototype.toJSON = function () { return '[' + this.join() + ']'; };`,
    ],
    // WebDriver itself needs `performance`.
    ['with var origin', `var origin = 'Portland';`],
    ['with Bluebird as its Promise', library('bluebird/js/browser/bluebird.min.js')],
    ['with Zone.js', library('zone.js')],
    [
      'whose dialog pulls the focus back',
      `document.addEventListener('focusin', ({ target }) => {
         const own = document.querySelector('#pay');
         if (own && target !== own) own.focus();
       }, true);`,
    ],
    [
      'that replaces its style sheets',
      `addEventListener('click', () => setTimeout(() => { document.adoptedStyleSheets = []; }, 300), true);`,
    ],
  ])('pays on a page %s, and the focus returns', async (_, script) => {
    await visit(script);
    await open();
    // WebKit doesn't let a cross-site frame focus its own field before the payer interacts with it.
    await click('#card');
    await type('4242');
    expect(await evaluate(`return document.querySelector('#card').value`)).toBe('4242');
    await press('Succeed');
    await press('Done');
    await webkit.driver.switchTo().defaultContent();
    await until(`document.querySelector('#status').textContent === 'completed 1234'`);
    await isClosed();
    await until(`document.activeElement.id === 'pay'`);
  });

  it('Escape in the frame closes the modal', async () => {
    await visit();
    await open();
    await type(Key.ESCAPE);
    expect(await result()).toEqual({ status: 'canceled', by: 'payer' });
    await isClosed();
  });

  it('R-60 delays closing during a payment, and reports its result', async () => {
    await visit();
    await open();
    await press('Pay');
    await press('Cancel');
    await webkit.driver.switchTo().defaultContent();
    await until(`document.querySelector('[data-state=held]')`);
    await webkit.driver.switchTo().frame(await webkit.driver.findElement({ css: 'dialog iframe' }));
    await press('Succeed');
    await press('Done');
    expect(await result()).toMatchObject({ status: 'completed' });
  });

  it('R-60 a frame that never responds fails as unreachable, and leaves no payment form', async () => {
    await visit('', '', 'silent');
    await click('#pay');
    expect(await result(40_000)).toMatchObject({
      code: 'flow_failed',
      details: { reason: 'frame_unreachable' },
    });
    expect(await evaluate(`return document.querySelectorAll('dialog iframe').length`)).toBe(0);
  });

  it.each([
    ['a flex row', 'display:flex', ''],
    ['a centered grid', 'display:grid;place-items:center', ''],
    ['a float', '', 'float:left'],
    ['a table cell', 'display:table', 'display:table-cell'],
  ])('an inline flow has its preferred width in %s, and fits a narrow one', async (_, outer, inner) => {
    await visit('', `<div id="outer" style="${outer}"><div id="inline" style="${inner}"></div></div>`);
    await evaluate(
      `EmbeddedSessions.completePayment(arguments[0], { container: document.querySelector('#inline') }).catch(() => {})`,
      stage.sessionUrl(),
    );
    await until(`document.querySelector('#inline iframe')`);
    const width = () => evaluate<number>(`return document.querySelector('#inline iframe').offsetWidth`);
    // The outline of the focus is outside of the container, on each side.
    expect(await width()).toBe(640 + 2 * 5);
    await evaluate(`document.querySelector('#outer').style.width = '280px'`);
    expect(await width()).toBe(280 + 2 * 5);
  });

  it('an inline flow next to long text stays wide enough for a form', async () => {
    const words = 'Your water bill for the last two months. '.repeat(30);
    await visit(
      '',
      `<div style="display:flex"><p style="white-space:nowrap">${words}</p><div id="inline"></div></div>`,
    );
    await evaluate(
      `EmbeddedSessions.completePayment(arguments[0], { container: document.querySelector('#inline') }).catch(() => {})`,
      stage.sessionUrl(),
    );
    await until(`document.querySelector('#inline iframe')?.offsetWidth >= 280`);
  });
});
