import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MAX_METHOD_NAME } from '@shared/limits.js';
import type { SavedMethod, WalletPageSession } from '@shared/page.js';
import { Button } from '../../kit/design/button.js';
import { TextField } from '../../kit/design/field.js';
import { useForm, type FieldBinding, type Problems } from '../../kit/design/form.js';
import { Icon } from '../../kit/design/icons.js';
import { ActionForm } from '../../kit/manage/action-form.js';
import { Confirm } from '../../kit/manage/confirm.js';
import { MethodLine } from '../../kit/manage/method-line.js';
import { useFocusBack } from '../../kit/manage/opener.js';
import { useFormAction, sendChange } from '../../kit/manage/use-action.js';
import { showFieldErrors } from '../../kit/manage/use-method.js';
import type { ApiResult } from '../../kit/shell/api.js';
import { useShell } from '../../kit/shell/shell.js';
import { methodName } from '../../kit/source/saved-method.js';
import { typed, parseExpiry } from '../../kit/source/source-check.js';
import { ExpiryField } from '../../kit/source/card-fields.js';
import { manage, rest } from '../../kit/text/index.js';
import { AddForm } from './add-form.js';
import type { Wallet } from './use-wallet.js';

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
  const onRefused = wallet.handleGone(method);
  const opener = useFocusBack(expanded !== null);

  return (
    <>
      <div class="item has-menu" ref={opener}>
        <MethodLine method={method} now={session.now} />
        {hasMenu && (
          <button
            type="button"
            class="button quiet more"
            aria-label={text.menuOf(name)}
            aria-expanded={expanded !== null}
            onClick={() => wallet.expand(method, expanded === null ? 'menu' : null)}
          >
            <Icon name="more" />
          </button>
        )}
      </div>
      {expanded === 'menu' && <Menu session={session} wallet={wallet} method={method} />}
      {expanded === 'name' && (
        <FieldForm
          method={method}
          name="name"
          initial={method.name ?? ''}
          submit={text.nameSave}
          onSaved={(next) => wallet.show(() => next, text.named(name))}
          onRefused={onRefused}
          onCancel={close}
        >
          {(field) => (
            <TextField
              {...field}
              label={text.nameLabel}
              hint={text.nameHint}
              required={false}
              maxLength={MAX_METHOD_NAME}
              autoComplete="off"
            />
          )}
        </FieldForm>
      )}
      {expanded === 'expiry' && (
        <FieldForm
          method={method}
          name="expiry"
          read={(value) => readNewExpiry(value, session.now)}
          submit={text.expirySave}
          onSaved={(next) => wallet.show(() => next, text.renewed(name))}
          onRefused={onRefused}
          onCancel={close}
        >
          {(field) => (
            <div class="half">
              <ExpiryField {...field} autoComplete="cc-exp" />
            </div>
          )}
        </FieldForm>
      )}
      {expanded === 'card' && (
        <AddForm
          session={session}
          cardToUpdate={method}
          onAdded={(updated) =>
            wallet.show(
              (before) => before.map((each) => (each.id === updated.id ? updated : each)),
              text.renewed(name),
            )
          }
          onRefused={onRefused}
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
      {method.expiry !== undefined &&
        isOffered &&
        (session.editsExpiry ? (
          <Button kind="quiet" label={text.expiryOf(name)} onPress={() => wallet.expand(method, 'expiry')}>
            {text.expiry}
          </Button>
        ) : (
          <Button kind="quiet" label={text.renewOf(name)} onPress={() => wallet.expand(method, 'card')}>
            {text.renew}
          </Button>
        ))}
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
    // The SDK makes the frame as high as the body.
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

interface FieldFormProps {
  method: SavedMethod;
  /** Names the field, the request's path and the key in its body. */
  name: 'name' | 'expiry';
  initial?: string;
  /** Returns what to send, or the problem. */
  read?: (value: string) => { wire: string } | { problem: string };
  submit: string;
  onSaved: (methods: SavedMethod[]) => void;
  /** Returns true if it has handled the refusal. */
  onRefused: (result: ApiResult<unknown>) => boolean;
  onCancel: () => void;
  children: (field: FieldBinding) => ComponentChildren;
}

/** Changes one thing about a method. */
function FieldForm(props: FieldFormProps) {
  const {
    method,
    name,
    initial = '',
    read = asTyped,
    submit,
    onSaved,
    onRefused,
    onCancel,
    children,
  } = props;
  const shell = useShell();
  const action = useFormAction();
  const [values] = useState({ [name]: initial });
  const form = useForm(values, ({ [name]: value = '' }): Problems => {
    const result = read(value);
    return 'problem' in result ? { [name]: result.problem } : {};
  });
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.querySelector('input')?.focus(), []);
  const send = (): Promise<ApiResult<SavedMethod[]>> => {
    const result = read(form.values[name] ?? '');
    const value = 'wire' in result ? result.wire : '';
    return sendChange(shell, `methods/${encodeURIComponent(method.id)}/${name}`, { [name]: value });
  };
  return (
    <div ref={place}>
      <ActionForm
        form={form}
        action={action}
        submit={submit}
        onSubmit={() =>
          action.run(send, onSaved, (result) => onRefused(result) || showFieldErrors(form)(result))
        }
        onCancel={onCancel}
      >
        {children(form.field(name))}
      </ActionForm>
    </div>
  );
}

const asTyped = (value: string) => ({ wire: typed(value) });

function readNewExpiry(value: string, now: string) {
  const expiry = parseExpiry(value, now);
  if (typeof expiry !== 'string') return expiry;
  return { problem: expiry === 'past' ? rest.invalid.expiryPast : rest.invalid.expiry };
}
