// The server client refuses to run in a real page, with the reason.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, MATRIX_ENGINES, startOrigin, type Origin } from '../harness/index.js';

const PAGE = `<!doctype html><title>A mistake</title>
<script type="importmap">{"imports":{
  "@embedded-sessions/server-types":"/server-types/index.js",
  "@embedded-sessions/server-types/back-office":"/server-types/back-office.js"
}}</script>
<script type="module">
  import { createServiceClient, isServiceError } from '/server/index.js';
  try {
    createServiceClient({ environment: 'staging', baseUrl: location.origin, apiKey: 'stg_in_a_page' });
    document.title = 'constructed';
  } catch (error) {
    document.title = isServiceError(error) ? error.kind + ': ' + error.message : String(error);
  }
</script>`;

let origin: Origin;
beforeAll(async () => {
  const folders = { '/server/': 'packages/server/dist', '/server-types/': 'packages/server-types/dist' };
  origin = await startOrigin({ routes: { '/': PAGE }, folders });
});
afterAll(() => origin.stop());

describe.each(MATRIX_ENGINES)('%s', (engine) => {
  it('R-3 createServiceClient throws in a page and says why', async () => {
    const browser = await launch(engine);
    try {
      const page = await browser.newPage();
      await page.goto(origin.url);
      await page.waitForFunction(() => document.title !== 'A mistake');
      expect(await page.title()).toMatch(
        /^configuration: In a browser or an app, anyone can read the API key/,
      );
    } finally {
      await browser.close();
    }
  });
});
