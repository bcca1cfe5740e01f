import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { WEBHOOK_EVENTS } from './webhook-events.js';

const TABLE = [
  '| type | when | `data` has also |',
  '|---|---|---|',
  ...Object.entries(WEBHOOK_EVENTS).map(
    ([type, { when, has }]) => `| \`${type}\` | ${when} | ${has.map((key) => `\`${key}\``).join(', ')} |`,
  ),
].join('\n');

it('R-54 docs/webhooks.md lists every type and no other', () => {
  const page = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
  expect(/^\| type \| when[^]*?(?=\n\n)/m.exec(page)?.[0]).toBe(TABLE);
});
