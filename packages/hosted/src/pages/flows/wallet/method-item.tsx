import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MAX_METHOD_NAME } from '@shared/limits.js';
import type { SavedMethod, WalletPageSession } from '@shared/page.js';
import { Button } from '../../kit/design/button.js';
import { TextField } from '../../kit/design/field.js';
import { useForm } from '../../kit/design/form.js';
import { PathIcon } from '../../kit/design/icons.js';
import { ActionForm } from '../../kit/manage/action-form.js';
import { Confirm } from '../../kit/manage/confirm.js';
import { MethodLine } from '../../kit/manage/method-line.js';
import { useFocusBack } from '../../kit/manage/opener.js';
import { sendChange } from '../../kit/manage/send-change.js';
import { useAction } from '../../kit/manage/use-action.js';
import { useShell } from '../../kit/shell/shell.js';
import { methodName } from '../../kit/source/saved-method.js';
import { typed } from '../../kit/source/source-check.js';
import { manage } from '../../kit/text/index.js';
import { AddForm } from './add-form.js';
import { handleGoneOrInvalid, type Wallet } from './use-wallet.js';

interface MenuProps {
  session: WalletPageSession;
  wallet: Wallet;
  method: SavedMethod;
}

interface MethodItemProps extends MenuProps {
  /** False while a form or a question is open, because the menu would close it. */
  hasMenu: boolean;
}

/** A method and its menu: edit the expiry date, rename, make default, delete. */
export function MethodItem({ session, wallet, method, hasMenu }: MethodItemProps) {
  const text = manage.wallet;
  const name = methodName(method);
  const expanded = wallet.expandedOf(method);
  const close = (): void => wallet.expand(method, null);
  const lose = (): void => wallet.lose(method);
  const opener = useFocusBack(expanded !== null);

  return (
    <>
      <div class="item" ref={opener}>
        <MethodLine method={method} now={session.now} />
        {hasMenu && (
          <button
            type="button"
            class="button quiet more"
            aria-label={text.menuOf(name)}
            aria-expanded={expanded !== null}
            onClick={() => wallet.expand(method, expanded === null ? 'menu' : null)}
          >
            <PathIcon path="M12 5v.01M12 12v.01M12 19v.01" />
          </button>
        )}
      </div>
      {expanded === 'menu' && <Menu session={session} wallet={wallet} method={method} />}
      {expanded === 'name' && (
        <NameForm
          method={method}
          onNamed={(next) => wallet.showRenamed(method, next)}
          onGone={lose}
          onCancel={close}
        />
      )}
      {expanded === 'expiry' && (
        <AddForm
          session={session}
          cardToUpdate={method}
          onAdded={(updated) => wallet.showNewExpiry(method, updated)}
          onGone={lose}
          onCancel={close}
        />
      )}
      {expanded === 'remove' && (
        <Confirm
          question={text.removeQuestion(name)}
          yes={text.removeConfirm}
          no={text.keep}
          busy={wallet.isChanging(method)}
          onYes={() => wallet.remove(method)}
          onNo={close}
        />
      )}
    </>
  );
}

function Menu({ session, wallet, method }: MenuProps) {
  const text = manage.wallet;
  const name = methodName(method);
  const isOffered = session.unavailable === undefined && session.methods.includes(method.method);
  const menu = useRef<HTMLDivElement>(null);
  useFloating(menu, () => wallet.expand(method, null));
  return (
    <div ref={menu} class="menu">
      {method.expiry !== undefined && isOffered && (
        <Button kind="quiet" label={text.renewOf(name)} onPress={() => wallet.expand(method, 'expiry')}>
          {text.renew}
        </Button>
      )}
      <Button kind="quiet" label={text.nameOf(name)} onPress={() => wallet.expand(method, 'name')}>
        {text.name}
      </Button>
      {!method.isDefault && (
        <Button
          kind="quiet"
          busy={wallet.isChanging(method)}
          label={text.makeDefaultOf(name)}
          onPress={() => wallet.makeDefault(method)}
        >
          {text.makeDefault}
        </Button>
      )}
      {method.usedBy.length === 0 && (
        <Button kind="danger" label={text.removeOf(name)} onPress={() => wallet.expand(method, 'remove')}>
          {text.remove}
        </Button>
      )}
      {method.usedBy.includes('autopay') && <p class="quiet">{text.inUseAutopay}</p>}
      {method.usedBy.includes('scheduled-payment') && <p class="quiet">{text.inUseScheduled}</p>}
    </div>
  );
}

/** Makes room for a menu that floats over the page, and closes it when the payer turns to something else. */
function useFloating(menu: RefObject<HTMLElement | null>, close: () => void): void {
  const closing = useRef(close);
  closing.current = close;
  useLayoutEffect(() => {
    const shown = menu.current as HTMLElement;
    const { body } = document;
    // A frame is as high as its body.
    body.style.minHeight = `${Math.ceil(shown.getBoundingClientRect().bottom + scrollY) + 16}px`;
    shown.scrollIntoView({ block: 'nearest' });

    const own = [shown, shown.parentElement?.querySelector('[aria-expanded]')];
    const onEvent = (event: Event): void => {
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        // Closes the menu, not the dialog around the page.
        event.preventDefault();
      } else if (own.some((each) => each?.contains(event.target as Node))) return;
      closing.current();
    };
    for (const type of CLOSING) document.addEventListener(type, onEvent);
    return () => {
      for (const type of CLOSING) document.removeEventListener(type, onEvent);
      body.style.minHeight = '';
    };
  }, [menu]);
}

const CLOSING = ['keydown', 'pointerup', 'focusin'];

interface NameFormProps {
  method: SavedMethod;
  onNamed: (methods: SavedMethod[]) => void;
  onGone: () => void;
  onCancel: () => void;
}

function NameForm({ method, onNamed, onGone, onCancel }: NameFormProps) {
  const shell = useShell();
  const action = useAction();
  const [initial] = useState(() => ({ name: method.name ?? '' }));
  const form = useForm(initial, () => ({}));
  const field = form.field('name');
  const text = manage.wallet;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.querySelector('input')?.focus(), []);
  const submit = (): void =>
    action.run<SavedMethod[]>(
      () => {
        const name = typed(form.values['name']);
        return sendChange(
          shell,
          `methods/${encodeURIComponent(method.id)}/name`,
          { name },
          ({ savedMethods }: WalletPageSession) =>
            savedMethods.some((each) => each.id === method.id && (each.name ?? '') === name)
              ? savedMethods
              : undefined,
        );
      },
      onNamed,
      handleGoneOrInvalid(form, onGone),
    );
  return (
    <div ref={place}>
      <ActionForm form={form} action={action} submit={text.nameSave} onSubmit={submit} onCancel={onCancel}>
        <TextField
          {...field}
          label={text.nameLabel}
          hint={text.nameHint}
          required={false}
          maxLength={MAX_METHOD_NAME}
          autoComplete="off"
          disabled={action.busy}
        />
      </ActionForm>
    </div>
  );
}
