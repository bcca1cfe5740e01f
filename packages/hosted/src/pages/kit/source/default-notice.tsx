import type { PageSession, SavedMethod } from '@shared/page.js';
import { Notice } from '../design/notice.js';
import { rest } from '../text/index.js';
import { isUnusable } from './saved-method.js';
import { defaultFirst } from './source-form.js';

interface DefaultNoticeProps {
  session: Pick<PageSession, 'now'> & { savedMethods: readonly SavedMethod[] };
}

/** Says why no method is selected at first. Stays while the payer chooses, so that nothing moves. */
export function DefaultNotice({ session: { now, savedMethods } }: DefaultNoticeProps) {
  const [first] = defaultFirst(savedMethods);
  if (first?.isDefault !== true || !isUnusable(first, now)) return null;
  return (
    <Notice tone="warning">
      <p>{rest.method.defaultUnusable}</p>
    </Notice>
  );
}
