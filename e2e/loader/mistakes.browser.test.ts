/**
 * Common mistakes on merchants' pages, and what the console says about each. `docs/errors/mistakes.md` has the same rows:
 * run this file with `UPDATE=1` to write them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { launch, openTab, startOrigin, type Origin, type Route } from '../harness/index.js';
import { startOperator, type Operator } from './faults.js';

const DOCS = new URL('../../docs/errors/mistakes.md', import.meta.url);
const BUTTON = '<button data-embedded-payment="/pay">Pay</button>';

interface Mistake {
  mistake: string;
  code: string;
  message: string;
  todo: string;
  /** The response of the merchant's backend. */
  pay?: Route;
  head?: string;
  body?: string;
}

const json = (body: unknown, status = 200): Route => ({
  status,
  body: JSON.stringify(body),
  type: 'application/json',
});
const redirect = (location: string): Route => ({ status: 303, body: '', headers: { location } });

const MISTAKES: readonly Mistake[] = [
  {
    mistake: 'The payer is signed out, and your backend redirects to its login page',
    pay: redirect('/login'),
    code: 'session_failed',
    message: 'POST /pay was redirected to /login and returned no JSON instead of { sessionUrl }.',
    todo: 'Respond with 401 if the request accepts JSON, and sign the payer in first.',
  },
  {
    mistake: 'The login page is on another origin',
    pay: redirect('http://login.localhost:1/'),
    code: 'network_error',
    message: 'POST /pay failed: no connection, or a redirect to another origin.',
    todo: 'Respond with 401 instead of redirecting.',
  },
  {
    mistake: 'The path of the button is wrong',
    pay: json({}, 404),
    code: 'session_failed',
    message: 'POST /pay returned 404.',
    todo: 'Correct `data-embedded-payment`, or add the route. The button sends a POST.',
  },
  {
    mistake: 'Your backend returns an error with status 200',
    pay: json({ error: 'no such bill' }),
    code: 'invalid_options',
    message: 'POST /pay returned { error } instead of { sessionUrl }.',
    todo: 'Return the result of `payments.create()`, or respond with a 4xx.',
  },
  {
    mistake: 'Another script defines `window.Service`',
    head: '<script>window.Service = { name: "chat" };</script>',
    code: 'environment_mismatch',
    message:
      'This loader is for staging, but window.Service (of another script?) is for unknown: use one environment.',
    todo: 'Rename the other global, or ask the operator for a script with another name and give it as `globalName`.',
  },
  {
    mistake: "A consent manager changes the type of the SDK's script",
    head: `<script>
      const { append } = Element.prototype;
      Element.prototype.append = function (...nodes) {
        for (const node of nodes) if (node.localName === 'script') node.type = 'text/plain';
        return append.apply(this, nodes);
      };
    </script>`,
    code: 'network_error',
    message: 'A consent manager blocks OPERATOR: allow it.',
    todo: 'Mark the operator as strictly necessary: without its script nobody can pay.',
  },
  {
    mistake: '`session` of `<embedded-flow>` is rendered as an attribute, as by React 18',
    body: `<embedded-flow session="[object Object]"></embedded-flow><script type="module">
      import { defineEmbeddedFlow } from '/loader/element.js';
      defineEmbeddedFlow(EmbeddedSessions.createLoader(OPTIONS));
    </script>`,
    code: 'invalid_options',
    message: 'session became an attribute: call defineEmbeddedFlow before the page is rendered.',
    todo: 'Set `session` as a property, or give the URL alone. React 19 sets the property if the element is defined before it renders.',
  },
];

/** None of our code runs in these cases, so nothing can report them. */
const SILENT = [
  [
    'A consent manager parks our own tag (`type="text/plain"`)',
    'Pressing the button does nothing, and `EmbeddedSessions` is undefined. Mark the tag as strictly necessary.',
  ],
  [
    'The page stops the click in its capture phase, above the button',
    'Pressing the button does nothing. Let the event reach the button. `stopPropagation()` in other handlers is harmless.',
  ],
] as const;

const page = `# Common mistakes

<!-- Written by e2e/loader/mistakes.browser.test.ts, which makes each mistake and reads the console. -->

The browser's console has a line for each of these, which begins with \`embedded-sessions:\`. Your code gets the same error.

| mistake | code | message | what to do |
|---|---|---|---|
${MISTAKES.map(({ mistake, code, message, todo }) => `| ${mistake} | [\`${code}\`](loader.md#${code}) | ${message.replace('OPERATOR', 'https://pay.example.com')} | ${todo} |`).join('\n')}

Nothing can report these:

| mistake | what happens, and what to do |
|---|---|
${SILENT.map((row) => `| ${row.join(' | ')} |`).join('\n')}
`;

let browser: Browser;
let operator: Operator;
let merchant: Origin;
let tab: Page;

beforeAll(async () => {
  [browser, operator] = await Promise.all([launch('chromium'), startOperator()]);
  merchant = await startOrigin({ folders: { '/loader/': 'packages/loader/dist/' } });
  merchant.routes['/login'] = '<!doctype html><title>Log in</title>';
});
afterAll(async () => {
  await browser.close();
  await Promise.all([merchant.stop(), operator.stop()]);
});
beforeEach(async () => {
  tab = await openTab(browser);
});
afterEach(() => tab.close());

let count = 0;
function pageWith({ head = '', body = BUTTON }: Pick<Mistake, 'head' | 'body'>): string {
  const loaderUrl = operator.loaderUrl(`ok~mistake${++count}`);
  const options = JSON.stringify({ environment: 'staging', loaderUrl, retries: 0 });
  merchant.routes['/'] =
    `<!doctype html><html lang="en"><title>Pay</title><link rel="icon" href="data:,">${head}
    <script src="/loader/embedded-sessions.iife.js" data-environment="staging" data-loader-url="${loaderUrl}"></script>
    <body>${body.replace('OPTIONS', options)}</body></html>`;
  return merchant.url;
}

it.each(MISTAKES)(
  '$mistake: the console says what to change',
  { tags: ['thorough'] },
  async ({ pay, code, message, ...parts }) => {
    merchant.routes['/pay'] = pay ?? json({ sessionUrl: `${operator.url}/s/1` });
    const lines: string[] = [];
    tab.on('console', (line) => lines.push(line.text()));
    await tab.goto(pageWith(parts));
    if (!parts.body) await tab.getByRole('button', { name: 'Pay' }).click();

    const text = `embedded-sessions: ${message.replace('OPERATOR', operator.url)}`;
    await expect.poll(() => lines.filter((line) => line.startsWith('embedded-sessions'))).toHaveLength(1);
    const [line = ''] = lines.filter((each) => each.startsWith('embedded-sessions'));
    expect(line.slice(0, text.length)).toBe(text);
    expect(line.endsWith(`#${code}`)).toBe(true);
  },
);

it('a handler that stops the click above the button has no effect', async () => {
  merchant.routes['/pay'] = json({}, 404);
  const body = `<div onclick="event.stopPropagation()">${BUTTON}</div>`;
  await tab.goto(pageWith({ body }));
  await tab.getByRole('button', { name: 'Pay' }).click();
  await tab.getByRole('alert').waitFor();
});

it("the button's own handler can prevent the click", async () => {
  let requests = 0;
  merchant.routes['/pay'] = (_, response) => {
    requests++;
    response.end('{}');
  };
  const body = `<div onclick="event.stopPropagation()">${BUTTON}</div><script>
    const button = document.querySelector('button');
    button.addEventListener('click', (event) => { if (!window.isValid) event.preventDefault(); });
  </script>`;
  await tab.goto(pageWith({ body }));
  await tab.getByRole('button', { name: 'Pay' }).click();
  expect(requests).toBe(0);
  await tab.evaluate(() => Object.assign(globalThis, { isValid: true }));
  await tab.getByRole('button', { name: 'Pay' }).click();
  await tab.getByRole('alert').waitFor();
  expect(requests).toBe(1);
});

it('docs/errors/mistakes.md has these rows', () => {
  if (process.env['UPDATE']) writeFileSync(DOCS, page);
  expect(readFileSync(DOCS, 'utf8')).toBe(page);
});
