/** Compiles the HTML of messages: `vitest run --project unit:service src/messages/layout.test.ts --update` writes it. */
import { readFileSync } from 'node:fs';
import mjml from 'mjml';
import { expect, it } from 'vitest';
import { LAYOUT } from './layout.generated.js';

it('R-104 layout.generated.ts matches the mjml output of layout.mjml', async () => {
  const source = readFileSync(new URL('layout.mjml', import.meta.url), 'utf8');
  const { html } = await mjml(source, {
    // Attributes may be placeholders, which no validator knows.
    validationLevel: 'skip',
    keepComments: false,
    // Loads none from Google for a family that has the name of one.
    fonts: {},
  });
  const lines = html
    // The layout has a <main>, which a label outside of it would need to be in.
    .replace('aria-label="{{subject}}" aria-roledescription="email" role="article" ', '')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim();
  await expect(
    `/** Compiled from layout.mjml by layout.test.ts. Do not edit. */\nexport const LAYOUT = \`${lines}\`;\n`,
  ).toMatchFileSnapshot('layout.generated.ts');
});

// As caniemail.com tests them: without these, values run into each other, or right-to-left text changes their order.
it('R-104 the layout depends on nothing that Gmail and Outlook ignore', () => {
  expect(LAYOUT).not.toMatch(/<bdi|-inline-|-block-(?:start|end)|display:\s*(?:flex|grid)|var\(|position:/);
  const styles = [...LAYOUT.matchAll(/<style[^>]*>([^]*?)<\/style>/g)].map(([, style]) => style);
  // Gmail drops styles of more than 16 KB, and clips messages after 102 kB.
  expect(styles.join('').length).toBeLessThan(8_000);
  expect(LAYOUT.length).toBeLessThan(50_000);
});
