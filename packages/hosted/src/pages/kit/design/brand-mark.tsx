/** A small mark for a card's brand: plain lettering in the network's colors, not its trademarked artwork. */
import { BRANDS, type Brand } from '@shared/card.js';
import { Icon } from './icons.js';

/** Letters, their width in a 38 × 24 mark, text color and background. */
const MARKS: Partial<Record<Brand, readonly [string, number, string, string]>> = {
  visa: ['VISA', 25, '#1434cb', '#fff'],
  amex: ['AMEX', 26, '#fff', '#016fd0'],
  discover: ['DISC\u2003VER', 34, '#111', '#fff'],
};

/** Announced as an image if it has a `name`, otherwise hidden from assistive technology. */
export function BrandMark({ brand, name }: { brand: Brand | undefined; name?: string | undefined }) {
  if (brand === undefined) {
    return (
      <span class="mark" aria-hidden="true">
        <Icon name="card" />
      </span>
    );
  }
  const aria = name === undefined ? { 'aria-hidden': true } : { role: 'img' as const, 'aria-label': name };
  if (brand === 'mastercard') {
    return (
      <svg class="mark" viewBox="0 0 38 24" style={{ background: '#fff' }} {...aria}>
        <circle cx="14.5" cy="12" r="7.5" fill="#eb001b" />
        <circle cx="23.5" cy="12" r="7.5" fill="#f79e1b" />
        <path fill="#ff5f00" d="M19 6a7.5 7.5 0 0 1 0 12 7.5 7.5 0 0 1 0-12" />
      </svg>
    );
  }
  const [letters, length, color, card] = MARKS[brand] ?? [BRANDS[brand].name, 30, '#fff', '#1d4f66'];
  const isLong = letters.length > 4;
  return (
    <svg class="mark" viewBox="0 0 38 24" style={{ background: card }} {...aria}>
      {brand === 'discover' && <circle cx="20" cy="12" r="2.8" fill="#f47216" />}
      <text
        x="19"
        y={isLong ? 15 : 16}
        fill={color}
        font-size={isLong ? 9 : 11}
        font-style={brand === 'visa' ? 'italic' : undefined}
        text-anchor="middle"
        textLength={length}
        lengthAdjust="spacingAndGlyphs"
      >
        {letters}
      </text>
    </svg>
  );
}
