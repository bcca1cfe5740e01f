/** Compiles the messages' HTML. To write it, run `vitest run --project unit:service src/messages/layout.test.ts --update`. */
import { readFileSync } from 'node:fs';
import mjml from 'mjml';
import { expect, it } from 'vitest';
import { LAYOUT } from './layout.generated.js';
import { renderMessage } from './render.js';

it('R-104 layout.generated.ts matches the mjml output of layout.mjml', async () => {
  const source = readFileSync(new URL('layout.mjml', import.meta.url), 'utf8');
  const { html } = await mjml(source, {
    // Validators don't know placeholders in attributes.
    validationLevel: 'skip',
    keepComments: false,
    // Keeps mjml from loading a Google font with the same name.
    fonts: {},
  });
  const lines = html
    // A label must be inside <main>, which the layout has.
    .replace('aria-label="{{subject}}" aria-roledescription="email" role="article" ', '')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim();
  await expect(
    `/** Compiled from layout.mjml by layout.test.ts. Do not edit. */\nexport const LAYOUT = \`${lines}\`;\n`,
  ).toMatchFileSnapshot('layout.generated.ts');
});

// See caniemail.com. Without these, values run together or right-to-left text reorders them.
it('R-104 the layout depends on no feature that Gmail and Outlook ignore', () => {
  expect(LAYOUT).not.toMatch(/<bdi|-inline-|-block-(?:start|end)|display:\s*(?:flex|grid)|var\(|position:/);
  const styles = [...LAYOUT.matchAll(/<style[^>]*>([^]*?)<\/style>/g)].map(([, style]) => style);
  // Gmail drops styles over 16 KB and clips messages over 102 kB.
  expect(styles.join('').length).toBeLessThan(8_000);
  expect(LAYOUT.length).toBeLessThan(50_000);
});

const ACCOUNT = 'https://water.example/account';
const HELP = 'https://water.example/help';

const ALL = { account: ACCOUNT, help: HELP };

it.each([
  // Without the amount, because the bill may have changed since the charge.
  ['payment-failed', ALL, ['Pay Water', ACCOUNT]],
  ['autopay-failed', { account: ACCOUNT }, ['Pay Water', ACCOUNT]],
  ['card-expiring', ALL, ['Change payment method', ACCOUNT]],
  ['card-expiring', { help: HELP }, ['Help', HELP]],
  ['receipt', ALL, undefined],
] as const)('R-104 a %s with the links %o has the button %o', (kind, links, expected) => {
  const unit = { name: 'Water', appearance: { accent: '#ffe600' }, links, timeZone: 'UTC' };
  const facts = kind === 'card-expiring' ? {} : { amount: 12_345 };
  const { html, text } = renderMessage({ kind, language: 'en', facts, createdAt: 0 }, unit);
  const button =
    /href="([^"]*)" style="display:inline-block;background:#ffe600;color:#000000;[^>]*>([^<]*)</.exec(html);
  expect(button ? [button[2]?.trim(), button[1]] : undefined).toEqual(expected);
  const inText = expected?.[1] === ACCOUNT ? expected.join(': ') : undefined;
  expect(text.split('\n').find((line) => line.includes(ACCOUNT))).toBe(inText);
  expect(text.includes(HELP)).toBe('help' in links);
});

it.each(['payment-failed', 'autopay-failed', 'card-expiring'] as const)(
  'R-104 a %s says where to act, with or without a link',
  (kind) => {
    const unit = { name: 'Water', timeZone: 'UTC' };
    const render = (links: object) =>
      renderMessage({ kind, language: 'en', facts: {}, createdAt: 0 }, { ...unit, links });
    for (const { sms, text, html } of [render({}), render({ help: HELP })])
      for (const shown of [sms, text, html]) expect(shown).toContain('website');

    const { sms, text, html } = render({ account: ACCOUNT });
    expect(sms).toContain('website');
    for (const shown of [text, html]) expect(shown).not.toContain('website');
  },
);
