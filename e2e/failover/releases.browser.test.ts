/** While two releases run, a page gets its files from the release that wrote it, through the proxy of the service package. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverFolder, type ServerFolder } from '../../packages/service/test/postgres.js';
import {
  freePort,
  hasPostgres,
  launch,
  openTab,
  payByCard,
  pressDone,
  sessionFrame,
  startOrigin,
  startPostgres,
  startService,
  type Origin,
  type Postgres,
  type Service,
} from '../harness/index.js';
import { previousRelease } from '../upgrade/previous-release.js';
import { until, type Daemon } from './daemon.js';
import { startProxy } from './proxy.js';

const PAYERS = 8;

describe.runIf(process.env['FAILOVER'] === 'all' && hasPostgres)(
  'R-99 the proxy between two releases',
  () => {
    let browser: Browser;
    let merchant: Origin;
    let postgres: Postgres;
    let server: ServerFolder;
    let proxy: Daemon;
    let services: readonly [Service, Service];
    let url: string;
    beforeAll(async () => {
      browser = await launch('chromium');
      postgres = await startPostgres();
      server = serverFolder();
      const port = await freePort();
      url = `http://localhost:${port}`;
      merchant = await startOrigin({ host: '127.0.0.1' });
      merchant.routes['/'] =
        `<!doctype html><html lang="en"><title>Pay your bill</title><link rel="icon" href="data:,">
      <script src="${url}/app/embedded.loader.js"></script><script>window.pay = (url) => Service.completePayment(url);</script>`;
      const options = {
        allowedOrigins: [merchant.url],
        apiKey: 'stg_key_of_the_releases_test',
        database: await postgres.database(),
        args: ['--public-url', url],
      };
      const previous = await startService({ ...options, cli: previousRelease() });
      // Its pages load texts of their own, which the other process doesn't have.
      const businessUnit = { messages: { en: { 'payment.total': 'You owe' } } };
      services = [previous, await startService({ ...options, businessUnit })];
      const [one, two] = services.map((service) => Number(new URL(service.url).port));
      proxy = startProxy(server, port, one!, two!);
      await until(
        async () => (await fetch(`${url}/app/embedded.loader.js`)).ok,
        () => proxy.log(),
      );
    }, 300_000);
    afterAll(async () => {
      await browser?.close();
      await merchant?.stop();
      for (const service of services ?? []) await service.kill();
      await proxy?.stop();
      await postgres?.stop();
      server?.remove();
    });

    it(
      'takes payments in a modal of either release that shows a page of the other',
      { timeout: 300_000 },
      async () => {
        for (let payer = 0; payer < PAYERS; payer++) {
          const { sessionUrl } = await services[payer % 2]!.create('payment');
          const page = await openTab(browser);
          await page.goto(merchant.url);
          const opened = page.evaluate(
            (url) => (globalThis as unknown as { pay(url: string): Promise<unknown> }).pay(url),
            sessionUrl,
          );
          await payByCard(sessionFrame(page));
          pressDone(sessionFrame(page));
          expect(await opened).toMatchObject({ status: 'completed' });
          await page.close();
        }
      },
    );

    it('lets every payer pay', { timeout: 300_000 }, async () => {
      for (let payer = 0; payer < PAYERS; payer++) {
        const { sessionUrl } = await services[payer % 2]!.create('payment');
        expect(new URL(sessionUrl).origin).toBe(url);
        const page = await openTab(browser);
        await page.goto(sessionUrl);
        await payByCard(page);
        await page.close();
      }
    });
  },
);
