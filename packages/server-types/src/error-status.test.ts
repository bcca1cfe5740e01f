import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_STATUS } from './error-status.js';

it('R-43 docs/contract.md lists every error code with its status', () => {
  const contract = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8');
  const [, table = ''] = contract.split('| Status | Codes |');
  const rows = table.split('\n\n')[0]?.matchAll(/^\| ([\d, ]+) \| (.*) \|$/gm) ?? [];
  const listed = [...rows].flatMap(([, statuses = '', codes = '']) =>
    [...codes.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => ({ code, statuses: statuses.split(', ') })),
  );
  expect(listed.map(({ code }) => code).toSorted()).toEqual(Object.keys(ERROR_STATUS).toSorted());
  for (const { code, statuses } of listed)
    expect(statuses).toContain(String(ERROR_STATUS[code as keyof typeof ERROR_STATUS]));
});
