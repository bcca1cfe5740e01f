import { isolate } from '../format/isolate.js';
import type { SavedMethod } from '../../../../../service/src/shared/page.js';
import { inert } from '../../../../../service/src/shared/inert.js';
import { MethodMark } from '../source/method-mark.js';
import { expiryText, hasExpired, methodName, ownName } from '../source/saved-method.js';
import { manage, rest, t } from '../text/index.js';

interface MethodLineProps {
  method: SavedMethod;
  /** The service's clock, ISO 8601. */
  now: string;
  /** Describes what it is used for. */
  tags?: boolean;
}

/** A saved method with its details. */
export function MethodLine({ method, now, tags = true }: MethodLineProps) {
  const called = ownName(method);
  const details = [
    ...(called === undefined ? [] : [isolate(called)]),
    ...(method.holder === undefined || method.holder === '' ? [] : [isolate(inert(method.holder, 80))]),
    ...(method.expiry === undefined ? [] : [expiryText(method.expiry, now)]),
    ...(method.blocked === undefined ? [] : [t.method.blocked]),
  ];
  return (
    <>
      <MethodMark {...method} />
      <div class="item-text">
        <span>{methodName(method)}</span>
        {details.length > 0 && <small>{details.join(' · ')}</small>}
      </div>
      {hasExpired(method, now) && <span class="tag bad">{manage.wallet.expired}</span>}
      {tags && method.isDefault && <span class="tag good">{t.method.isDefault}</span>}
      {tags && method.usedBy.includes('autopay') && <span class="tag">{rest.method.usedByAutopay}</span>}
      {tags && method.usedBy.includes('scheduled-payment') && (
        <span class="tag">{rest.method.usedByScheduled}</span>
      )}
    </>
  );
}
