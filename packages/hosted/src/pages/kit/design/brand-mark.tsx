/** A small mark for a card's brand, in our own lettering instead of trademarked artwork. */
import type { Brand } from '../../../../../service/src/shared/card.js';
import { Icon } from './icons.js';

const LETTERS: Record<Brand, string> = {
  visa: 'VISA',
  mastercard: 'MC',
  amex: 'AMEX',
  discover: 'DISC',
  diners: 'DINERS',
  jcb: 'JCB',
  unionpay: 'UNION',
};

/** With `name` it is announced as an image, otherwise hidden from assistive technology. */
export function BrandMark({ brand, name }: { brand: Brand | undefined; name?: string | undefined }) {
  if (brand === undefined) {
    return (
      <span class="mark" aria-hidden="true">
        <Icon name="card" />
      </span>
    );
  }
  const said = name === undefined ? { 'aria-hidden': true } : { role: 'img' as const, 'aria-label': name };
  return (
    <span class={`mark mark-${brand}`} {...said}>
      {LETTERS[brand]}
    </span>
  );
}
