import { describe, expect, it } from 'vitest';
import { accent, accentProperties, legibleText } from './accent.js';

function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const COLORS = [
  '#000000',
  '#ffffff',
  '#ffe600',
  '#0a5c36',
  '#777777',
  '#ff0000',
  '#7f7fff',
  '#00ffff',
  '#757575',
];

describe('an accent color', () => {
  it.each(COLORS)('%s has legible text on it and as text, in light and dark', (color) => {
    const { fill, onFill, inkLight, inkDark } = accent(color);
    expect(contrast(fill, onFill)).toBeGreaterThanOrEqual(4.5);
    for (const background of ['#ffffff', '#f4f6f9', '#f7f9fb']) {
      expect(contrast(inkLight, background)).toBeGreaterThanOrEqual(4.5);
    }
    for (const background of ['#10151c', '#19212b', '#212b37']) {
      expect(contrast(inkDark, background)).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(COLORS)(
    'R-70 %s as the color of texts is legible on any background and in each scheme',
    (color) => {
      for (const background of COLORS)
        expect(contrast(legibleText(color, 'light', background), background)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(legibleText(color, 'light'), '#f4f6f9')).toBeGreaterThanOrEqual(4.5);
      expect(contrast(legibleText(color, 'dark'), '#19212b')).toBeGreaterThanOrEqual(4.5);
    },
  );

  it('never reaches the page if it is not a color', () => {
    expect(accentProperties('red;}</style><script>')).toBe(accentProperties(undefined));
  });
});
