import { brandNamed } from '../../../../shared/card.js';
import type { SavedMethod } from '../../../../shared/page.js';
import { BrandMark } from '../design/brand-mark.js';
import { Icon } from '../design/icons.js';

export function MethodMark({ method, brand }: Pick<SavedMethod, 'method' | 'brand'>) {
  if (method === 'Credit Card') return <BrandMark brand={brandNamed(brand)} />;
  return (
    <span class="mark" aria-hidden="true">
      <Icon name="bank" />
    </span>
  );
}
