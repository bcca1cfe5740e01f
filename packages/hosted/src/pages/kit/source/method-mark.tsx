import type { ComponentChildren } from 'preact';
import { brandNamed } from '@shared/card.js';
import type { PaymentMethod, SavedMethod } from '@shared/page.js';
import { BrandMark } from '../design/brand-mark.js';
import { Icon } from '../design/icons.js';

type Marked = Pick<SavedMethod, 'method' | 'brand'>;

const MARKS: Readonly<Record<PaymentMethod, (method: Marked) => ComponentChildren>> = {
  'Credit Card': ({ brand }) => <BrandMark brand={brandNamed(brand)} />,
  ACH: () => (
    <span class="mark" aria-hidden="true">
      <Icon name="bank" />
    </span>
  ),
};

export function MethodMark(method: Marked) {
  return <>{MARKS[method.method](method)}</>;
}
