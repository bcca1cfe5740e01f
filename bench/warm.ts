/** Time to open a payment in Chromium, 50 ms from the service: after `warm()`, without it, and in a bare frame. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { launch, startOrigin, startService, type Page } from '../e2e/harness/index.js';
import { median } from './measure.js';

/** Round trip. */
const AWAY_MS = 50;
const ROUNDS = 25;

type Way = 'warm' | 'cold' | 'frame';

export interface Opened {
  /** Median ms to open in each way. */
  readonly ms: Readonly<Record<Way, number>>;
  /** The median ratio of two ways that ran next to each other. */
  readonly ratio: (one: Way, to: Way) => number;
}

/**
 * @example
 * const { ms, ratio } = await openedInTurns();
 */
export async function openedInTurns(rounds: number = ROUNDS): Promise<Opened> {
  const merchant = await startOrigin({ host: 'localhost' });
  const far = await startFar();
  const service = await startService({
    allowedOrigins: [merchant.url],
    args: ['--public-url', far.url],
  });
  far.leadTo(new URL(service.url).port);
  const browser = await launch('chromium');
  try {
    merchant.routes['/'] =
      `<!doctype html><title>Bench</title><link rel="icon" href="data:,"><body><script src="${far.url}/app/embedded.loader.js"></script>`;
    const page = await browser.newPage();
    await page.addInitScript(reportInteractive);
    const seen: Record<Way, number[]> = { warm: [], cold: [], frame: [] };
    const ways = Object.keys(seen) as Way[];
    const open = async (way: Way): Promise<number> => {
      const { sessionUrl } = await service.create('payment');
      await page.goto(merchant.url);
      return timed(page, way, sessionUrl);
    };
    // The browser's cache is warm from here on.
    for (const way of ways) await open(way);
    for (let round = 0; round < rounds; round++) {
      // The variants take turns in coming first.
      for (let turn = 0; turn < ways.length; turn++) {
        const way = ways[(round + turn) % ways.length] as Way;
        seen[way].push(await open(way));
      }
    }
    return {
      ms: { warm: median(seen.warm), cold: median(seen.cold), frame: median(seen.frame) },
      ratio: (one, to) => median(seen[one].map((ms, round) => ms / (seen[to][round] as number))),
    };
  } finally {
    await Promise.all([browser.close(), service.stop(), merchant.stop()]);
    far.stop();
  }
}

/** In every frame: notifies the top window when the card number field is laid out and can be typed in. */
function reportInteractive(): void {
  if (top === self) return;
  const check = (): void => {
    const input = document.querySelector<HTMLElement>('input[autocomplete=cc-number]');
    if (input !== null && input.getBoundingClientRect().height > 0)
      requestAnimationFrame(() => top?.postMessage('interactive', '*'));
    else requestAnimationFrame(check);
  };
  requestAnimationFrame(check);
}

function timed(page: Page, way: Way, sessionUrl: string): Promise<number> {
  return page.evaluate(
    async ([way, url]) => {
      const { Service } = globalThis as unknown as {
        Service: {
          warm(): Promise<void>;
          completePayment(url: string): unknown;
          on(type: string, then: () => void): void;
        };
      };
      if (way === 'warm') await Service.warm();
      const interactive = new Promise((resolve) =>
        addEventListener('message', ({ data }) => data === 'interactive' && resolve(undefined)),
      );
      // The SDK shows a frame when its page reports its height.
      const shown = (): Promise<void> =>
        new Promise((resolve) => {
          const check = (): void => {
            const frame = document.querySelector('iframe');
            const isShown =
              frame !== null && getComputedStyle(frame).opacity === '1' && frame.offsetHeight > 0;
            if (isShown) resolve();
            else requestAnimationFrame(check);
          };
          check();
        });
      const started = performance.now();
      if (way === 'frame') {
        const frame = document.createElement('iframe');
        frame.src = url as string;
        frame.style.cssText = 'position:fixed;inset:0;margin:auto;width:480px;height:700px';
        document.body.append(frame);
      } else Service.completePayment(url as string);
      await interactive;
      await shown();
      return performance.now() - started;
    },
    [way, sessionUrl],
  );
}

/** An address that forwards to a port, delayed by half the round trip in each direction. */
async function startFar(): Promise<{ url: string; leadTo(port: string): void; stop(): void }> {
  let target = 0;
  const sockets = new Set<Socket>();
  const later = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (data) => setTimeout(() => to.writable && to.write(data), AWAY_MS / 2));
    from.once('end', () => setTimeout(() => to.end(), AWAY_MS / 2));
    from.on('error', () => to.destroy());
    from.once('close', () => sockets.delete(from));
  };
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    later(near, far);
    later(far, near);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (port) => {
      target = Number(port);
    },
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
