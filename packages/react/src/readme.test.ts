// @vitest-environment node
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

it('the README shows the merchant’s test as it runs here', () => {
  expect(read('../README.md')).toContain(`\`\`\`tsx\n${read('./merchant.test.tsx')}\`\`\`\n`);
});
