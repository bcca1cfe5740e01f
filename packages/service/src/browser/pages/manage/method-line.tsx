import type { SavedMethod } from '../../../wire/page.js';
import { inert } from '../format/inert.js';
import { MethodMark } from '../source/method-mark.js';
import { methodName } from '../source/saved-method.js';
import { t } from '../text/index.js';

/** A saved method with what there is to know of it. */
export function MethodLine({ method, tags = true }: { method: SavedMethod; tags?: boolean }) {
  const details = [
    ...(method.holder === undefined || method.holder === '' ? [] : [inert(method.holder, 80)]),
    ...(method.expiry === undefined ? [] : [t.method.expires(method.expiry)]),
  ];
  return (
    <>
      <MethodMark {...method} />
      <div class="item-text">
        <span>{methodName(method)}</span>
        {details.length > 0 && (
          <small>
            <bdi>{details.join(' · ')}</bdi>
          </small>
        )}
      </div>
      {tags && method.isDefault && <span class="tag good">{t.method.isDefault}</span>}
      {tags && method.usedBy.includes('autopay') && <span class="tag">{t.method.usedByAutopay}</span>}
      {tags && method.usedBy.includes('scheduled-payment') && (
        <span class="tag">{t.method.usedByScheduled}</span>
      )}
    </>
  );
}
