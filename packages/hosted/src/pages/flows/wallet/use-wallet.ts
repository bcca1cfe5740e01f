import { useState } from 'preact/hooks';
import type { SavedMethod, WalletPageSession } from '@shared/page.js';
import type { Form } from '../../kit/design/form.js';
import { useSuccessNotice } from '../../kit/manage/manage-page.js';
import { useAction, sendChange } from '../../kit/manage/use-action.js';
import { showFieldErrors } from '../../kit/manage/use-method.js';
import type { ApiResult } from '../../kit/shell/api.js';
import { useShell } from '../../kit/shell/shell.js';
import { methodName } from '../../kit/source/saved-method.js';
import { isMethodRemoved } from '../../kit/source/source-check.js';
import { manage } from '../../kit/text/index.js';

/** What is expanded below a method. */
type Expanded = 'menu' | 'remove' | 'name' | 'expiry' | 'card';

export type Wallet = ReturnType<typeof useWallet>;

/** State and actions of the wallet, and what is expanded below one of its methods. */
export function useWallet() {
  const shell = useShell();
  const [expanded, setExpanded] = useState<{ id: string; what: Expanded } | null>(null);
  /** Methods removed elsewhere while the page is open. They have no actions. */
  const [goneIds, setGoneIds] = useState<readonly string[]>([]);
  /** The method that the running action applies to. */
  const [changedId, setChangedId] = useState('');
  const [notice, showNotice] = useSuccessNotice();
  const action = useAction();
  const text = manage.wallet;

  const updateMethods = (change: (before: readonly SavedMethod[]) => SavedMethod[]): void =>
    shell.update((current: WalletPageSession) => ({
      ...current,
      savedMethods: change(current.savedMethods),
    }));
  /** Shows the methods after a change. */
  const show = (change: (before: readonly SavedMethod[]) => SavedMethod[], success: string): void => {
    updateMethods(change);
    setExpanded(null);
    showNotice(success);
  };
  const markGone = ({ id }: SavedMethod): void => {
    setGoneIds((before) => [...before, id]);
    setExpanded(null);
  };
  const change = (method: SavedMethod, what: 'default' | 'remove', success: string): void => {
    setChangedId(method.id);
    action.run<SavedMethod[]>(
      () => sendChange(shell, `methods/${encodeURIComponent(method.id)}/${what}`, {}),
      (next) => show(() => next, success),
      handleGone(() => markGone(method)),
    );
  };

  return {
    notice,
    action,
    markGone,
    show,
    isGone: ({ id }: SavedMethod) => goneIds.includes(id),
    isChanging: ({ id }: SavedMethod) => action.busy && changedId === id,
    /** A form or a question is open below a method. */
    isEditing: expanded !== null && expanded.what !== 'menu',
    expandedOf: ({ id }: SavedMethod) => (expanded?.id === id ? expanded.what : null),
    expand: ({ id }: SavedMethod, what: Expanded | null) => setExpanded(what && { id, what }),
    makeDefault: (method: SavedMethod) => change(method, 'default', text.madeDefault(methodName(method))),
    remove: (method: SavedMethod) => change(method, 'remove', text.removed(methodName(method))),
    showAdded: (method: SavedMethod) => {
      updateMethods((before) => withMethod(before, method));
      showNotice(text.added(methodName(method)));
    },
  };
}

/** For `Action.run`: calls `then` if the method no longer exists. */
const handleGone =
  (then: () => void) =>
  (result: ApiResult<unknown>): boolean => {
    const gone = result.kind === 'refused' && (result.code === 'not_found' || isMethodRemoved(result.errors));
    if (gone) then();
    return gone;
  };

/** Like `handleGone`, and shows other problems next to the form's fields. */
export const handleGoneOrInvalid =
  (form: Form, then: (() => void) | undefined) =>
  (result: ApiResult<unknown>): boolean =>
    (then !== undefined && handleGone(then)(result)) || showFieldErrors(form)(result);

function withMethod(before: readonly SavedMethod[], added: SavedMethod): SavedMethod[] {
  const others = before.filter(({ id }) => id !== added.id);
  return [...(added.isDefault ? others.map((method) => ({ ...method, isDefault: false })) : others), added];
}
