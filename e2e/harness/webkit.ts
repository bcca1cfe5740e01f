/** Drives WebKitGTK's MiniBrowser by WebDriver on a separate display, because Playwright can't drive a stock WebKit. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Builder, Capabilities, type WebDriver } from 'selenium-webdriver';
import { atEnd } from '../../tools/at-end.mjs';
import { findEngine } from '../../tools/engines.mjs';
import { freePort } from '../../tools/ports.mjs';

export const hasWebKit: boolean = findEngine('webkit') !== null && findEngine('xvfb') !== null;

export interface WebKit {
  driver: WebDriver;
  close(): Promise<void>;
}

export async function launchWebKit(): Promise<WebKit> {
  const webdriver = findEngine('webkit');
  const xvfb = findEngine('xvfb');
  if (webdriver === null || xvfb === null) {
    throw new Error('WebKitGTK or Xvfb is not installed: node tools/with-engines.mjs');
  }
  const children: ChildProcess[] = [];
  const leave = atEnd(() => children.forEach((child) => child.kill('SIGKILL')));
  const close = async (): Promise<void> => {
    for (const child of children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
    }
    leave();
  };
  try {
    // Xvfb chooses a free display and writes its number to this file descriptor.
    const screen = spawn(xvfb, ['-displayfd', '1', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(screen);
    const display = await new Promise<string>((resolve, reject) => {
      screen.stdout.once('data', (data: Buffer) => resolve(`:${data.toString().trim()}`));
      screen.once('exit', (code) => reject(new Error(`Xvfb ended with ${code}`)));
    });
    const port = await freePort();
    // WebKit's sandbox needs user namespaces, which containers don't allow.
    const env = {
      ...process.env,
      DISPLAY: display,
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    };
    const server = spawn(webdriver, ['-p', String(port)], { env, stdio: 'ignore' });
    children.push(server);
    const url = `http://127.0.0.1:${port}`;
    await untilResponds(`${url}/status`, server);
    const capabilities = new Capabilities({
      browserName: 'MiniBrowser',
      'webkitgtk:browserOptions': { binary: miniBrowser(), args: ['--automation'] },
    });
    const driver = await new Builder().usingServer(url).withCapabilities(capabilities).build();
    return {
      driver,
      close: async () => {
        await driver.quit().catch(() => {});
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function untilResponds(url: string, server: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 50_000; Date.now() < deadline;) {
    if (server.exitCode !== null) throw new Error(`WebKitWebDriver ended with ${server.exitCode}`);
    const up = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('WebKitWebDriver did not answer within 50 s');
}

/** MiniBrowser is next to the library: `/usr/lib/<machine>/webkit2gtk-4.1/MiniBrowser`. */
function miniBrowser(): string {
  for (const machine of readdirSync('/usr/lib')) {
    for (const version of ['4.1', '4.0']) {
      const file = join('/usr/lib', machine, `webkit2gtk-${version}`, 'MiniBrowser');
      if (existsSync(file)) return file;
    }
  }
  throw new Error('webkit2gtk-driver is installed, but its MiniBrowser was not found under /usr/lib');
}
