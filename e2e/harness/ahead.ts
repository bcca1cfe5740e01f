/** Prerenders a page in Chromium. That works only without browser automation, so the page reports over HTTP. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from '../../tools/at-end.mjs';
import { CHROMIUM_ARGUMENTS, findEngine } from '../../tools/engines.mjs';
import type { Origin } from './origins.js';

export interface Ahead {
  /** Messages that the page reported with `say(text)`, in order; `visited` when its visit begins. */
  readonly reports: readonly string[];
  visit(): void;
  stop(): Promise<void>;
}

/** Insert this into the head of the page before its own scripts. Defines `say`. */
export const REPORT_SCRIPT = `<script>
  let last = Promise.resolve();
  window.say = (text) => { last = last.then(() => fetch('/report', { method: 'POST', body: text })); };
  say(document.prerendering ? 'ahead' : 'seen at once');
  document.addEventListener('prerenderingchange', () => say('visited'));
</script>`;

/** Prerenders `path` of a merchant's site. `visit()` then follows a link to it. */
export async function renderAhead(merchant: Origin, path: string): Promise<Ahead> {
  const reports: string[] = [];
  let visit!: () => void;
  const toVisit = new Promise<void>((resolve) => (visit = resolve));
  merchant.routes['/report'] = async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    reports.push(text);
    response.end();
  };
  merchant.routes['/when'] = (_request, response) => void toVisit.then(() => response.end());
  merchant.routes['/from'] =
    `<!doctype html><html lang="en"><title>Home</title><link rel="icon" href="data:,">
    <script type="speculationrules">${JSON.stringify({ prerender: [{ urls: [path], eagerness: 'immediate' }] })}</script>
    <a href="${path.replaceAll('&', '&amp;')}">Pay</a>
    <script>fetch('/when').then(() => document.querySelector('a').click())</script></html>`;
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-ahead-'));
  const child = spawn(
    findEngine('chromium') as string,
    [
      '--headless=new',
      '--disable-gpu',
      ...CHROMIUM_ARGUMENTS,
      `--user-data-dir=${folder}`,
      `${merchant.url}/from`,
    ],
    // Uses a separate process group, because the browser's other processes outlive the first one and keep writing.
    { stdio: 'ignore', detached: true },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  };
  const forget = atEnd(end);
  return {
    reports,
    visit,
    async stop() {
      visit();
      forget();
      end();
      await ended;
    },
  };
}
