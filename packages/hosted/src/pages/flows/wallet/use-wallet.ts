import { useState } from 'preact/hooks';
import type { SavedMethod, WalletPageSession } from '@shared/page.js';
import { say, type Message } from '../../kit/manage/page.js';
import { useAction, sendChange } from '../../kit/manage/use-action.js';
import type { ApiResult } from '../../kit/shell/api.js';
import { useShell } from '../../kit/shell/shell.js';
import { methodName } from '../../kit/source/saved-method.js';
import { manage } from '../../kit/text/index.js';

/** What is expanded below a method. */
type Expanded = 'menu' | 'remove' | 'name' | 'expiry' | 'card';

export type Wallet = ReturnType<typeof useWallet>;

/** State and actions of the wallet, and what is expanded below one of its methods. */
export function useWallet() {
  const shell = useShell();
  const [expanded, setExpanded] = useState<{ id: string; what: Expanded } | null>(null);
  /** The method that the running action applies to. */
  const [changedId, setChangedId] = useState('');
  const action = useAction();
  const text = manage.wallet;

  const updateMethods = (change: (before: readonly SavedMethod[]) => SavedMethod[]): void =>
    shell.update((current: WalletPageSession) => ({
      ...current,
      savedMethods: change(current.savedMethods),
    }));
  /** Shows the methods after a change. */
  const show = (
    change: (before: readonly SavedMethod[]) => SavedMethod[],
    message: string,
    tone?: Message['tone'],
  ): void => {
    updateMethods(change);
    setExpanded(null);
    say(message, tone);
  };
  /** For `Action.run`: says that the method was removed elsewhere. */
  const handleGone =
    (method: SavedMethod) =>
    (result: ApiResult<unknown>): boolean => {
      const isGone =
        result.kind === 'refused' &&
        (result.code === 'not_found' || result.errors[0]?.reason === 'method_removed');
      if (isGone)
        show(
          (before) => before.filter(({ id }) => id !== method.id),
          text.gone(methodName(method)),
          'danger',
        );
      return isGone;
    };
  const change = (method: SavedMethod, what: 'default' | 'remove', success: string): void => {
    setChangedId(method.id);
    action.run<SavedMethod[]>(
      () => sendChange(shell, `methods/${encodeURIComponent(method.id)}/${what}`, {}),
      (next) => show(() => next, success),
      handleGone(method),
    );
  };

  return {
    handleGone,
    show,
    isChanging: ({ id }: SavedMethod) => action.busy && changedId === id,
    /** A form or a question is open below a method. */
    isEditing: expanded !== null && expanded.what !== 'menu',
    expandedOf: ({ id }: SavedMethod) => (expanded?.id === id ? expanded.what : null),
    expand: ({ id }: SavedMethod, what: Expanded | null) => setExpanded(what && { id, what }),
    makeDefault: (method: SavedMethod) => change(method, 'default', text.madeDefault(methodName(method))),
    remove: (method: SavedMethod) => change(method, 'remove', text.removed(methodName(method))),
    showAdded: (method: SavedMethod) => {
      updateMethods((before) => withMethod(before, method));
      say(text.added(methodName(method)));
    },
  };
}

function withMethod(before: readonly SavedMethod[], added: SavedMethod): SavedMethod[] {
  const others = before.filter(({ id }) => id !== added.id);
  return [...(added.isDefault ? others.map((method) => ({ ...method, isDefault: false })) : others), added];
}
