// Runs the examples in README and guide.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const here = new URL('.', import.meta.url).pathname;
const folder = await mkdtemp(join(here, '.readme-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

it('every example in README and guide has the stated result', async () => {
  const pages = await Promise.all(
    ['../README.md', '../GUIDE.md'].map((name) => readFile(join(here, name), 'utf8')),
  );
  const examples = [...pages.join('\n').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? '');
  const exported: Record<string, unknown> = {};
  for (const [index, code] of examples.entries()) {
    const file = join(folder, `example-${index}.ts`);
    await writeFile(file, code);
    Object.assign(exported, await import(/* @vite-ignore */ file));
  }
  expect(exported).toMatchObject({
    request: { Channel: 'QuickPay' },
    account: { MeterNumber: 'M-7' },
    minutes: 30,
    path: '/integrations/embedded/initiate-manage-autopay',
    limit: 25,
    problems: [{ field: 'PosUser' }, { field: 'ReturnUrl' }, { field: 'Charges' }],
    fields: ['BusinessUnitSlug: required', 'Charges[0].Amount: invalid'],
  });
});
