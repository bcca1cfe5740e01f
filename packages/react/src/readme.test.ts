// @vitest-environment node
// The guide's examples are files that are compiled (`docs/`) or run (the merchant's test).
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

it.each(['../docs/app.tsx', '../docs/pay-in-page.tsx', './merchant.test.tsx'])(
  'the guide shows %s unchanged',
  (path) => {
    expect(read('../GUIDE.md')).toContain(`\`\`\`tsx\n${read(path)}\`\`\`\n`);
  },
);

it('the README of the repository shows ../docs/pay-button.tsx unchanged', () => {
  expect(read('../../../README.md')).toContain(`\`\`\`tsx\n${read('../docs/pay-button.tsx')}\`\`\`\n`);
});

it('the guide shows no other example with imports', () => {
  expect(read('../GUIDE.md').match(/```tsx?\nimport/g)).toHaveLength(3);
});
