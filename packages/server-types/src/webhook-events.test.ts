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

it('R-54 the README of the service lists every type of webhook', () => {
  const readme = readFileSync(new URL('../../service/README.md', import.meta.url), 'utf8');
  expect(/^\| type \| when[^]*?(?=\n\n)/m.exec(readme)?.[0]).toBe(TABLE);
});
