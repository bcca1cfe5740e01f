import type { SavedMethod } from '@shared/page.js';
import { inert } from '@shared/inert.js';
import { Parts } from '../design/account.js';
import { MethodMark } from '../source/method-mark.js';
import { detailsOf, hasExpired, methodName } from '../source/saved-method.js';
import { manage, rest, t } from '../text/index.js';

interface MethodLineProps {
  method: SavedMethod;
  /** The service's clock, ISO 8601. */
  now: string;
  /** Shows tags, such as "Default". */
  tags?: boolean;
}

/** A saved method with its details. */
export function MethodLine({ method, now, tags = true }: MethodLineProps) {
  const details = detailsOf(method, method.holder && inert(method.holder, 80), now);
  const shown: (readonly [label: string, kind: string])[] = [
    ...(hasExpired(method, now) ? [[manage.wallet.expired, 'bad'] as const] : []),
    ...(method.isDefault ? [[t.method.isDefault, 'good'] as const] : []),
    ...method.usedBy.map((use) => [USES[use](), ''] as const),
  ];
  return (
    <>
      <MethodMark {...method} />
      <div class="item-text">
        <span>{methodName(method)}</span>
        {details.length > 0 && (
          <small>
            <Parts of={details} />
          </small>
        )}
        {tags && shown.length > 0 && (
          <span class="tags">
            {shown.map(([label, kind]) => (
              <span key={label} class={`tag ${kind}`}>
                {label}
              </span>
            ))}
          </span>
        )}
      </div>
    </>
  );
}

const USES: Readonly<Record<SavedMethod['usedBy'][number], () => string>> = {
  autopay: () => rest.method.usedByAutopay,
  'scheduled-payment': () => rest.method.usedByScheduled,
};
