// @vitest-environment node
// The README's examples are files that are compiled (`docs/`) or run (the merchant's test).
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

it.each(['../docs/app.tsx', '../docs/pay-in-page.tsx', './merchant.test.tsx'])(
  'the README shows %s as it is',
  (path) => {
    expect(read('../README.md')).toContain(`\`\`\`tsx\n${read(path)}\`\`\`\n`);
  },
);

it('the README of the repository shows ../docs/pay-button.tsx as it is', () => {
  expect(read('../../../README.md')).toContain(`\`\`\`tsx\n${read('../docs/pay-button.tsx')}\`\`\`\n`);
});

it('the README shows no other example that has imports', () => {
  expect(read('../README.md').match(/```tsx?\nimport/g)).toHaveLength(3);
});
