import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_STATUS } from './error-status.js';

it('R-43 the contract’s table has each code at its status, and no other', () => {
  const contract = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8');
  const [, table = ''] = contract.split('| status | codes |');
  const rows = table.split('\n\n')[0]?.matchAll(/^\| ([\d, ]+) \| (.*) \|$/gm) ?? [];
  const told = [...rows].flatMap(([, statuses = '', codes = '']) =>
    [...codes.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => ({ code, statuses: statuses.split(', ') })),
  );
  expect(told.map(({ code }) => code).toSorted()).toEqual(Object.keys(ERROR_STATUS).toSorted());
  for (const { code, statuses } of told)
    expect(statuses).toContain(String(ERROR_STATUS[code as keyof typeof ERROR_STATUS]));
});
