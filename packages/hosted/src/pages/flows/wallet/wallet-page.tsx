/** Manages the customer's payment methods: add, make default, rename, update the expiry date, delete. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { NewSource, SavedMethod, WalletPageSession } from '@shared/page.js';
import { Button } from '../../kit/design/button.js';
import { CheckField, TextField } from '../../kit/design/field.js';
import { fieldId, useForm, type Form } from '../../kit/design/form.js';
import { Notice } from '../../kit/design/notice.js';
import { PathIcon, Icon } from '../../kit/design/icons.js';
import { MAX_METHOD_NAME } from '@shared/limits.js';
import { ActionForm } from '../../kit/manage/action-form.js';
import { Confirm } from '../../kit/manage/confirm.js';
import { Email } from '../../kit/manage/email.js';
import { ManagePage, Unavailable, useSuccessNotice } from '../../kit/manage/manage-page.js';
import { MethodLine } from '../../kit/manage/method-line.js';
import { Opener, useFocusBack } from '../../kit/manage/opener.js';
import { sendChange } from '../../kit/manage/send-change.js';
import { useAction } from '../../kit/manage/use-action.js';
import { showFieldErrors, useMethod } from '../../kit/manage/use-method.js';
import type { ApiResult } from '../../kit/shell/api.js';
import type { FlowProps } from '../../kit/shell/app.js';
import { useShell } from '../../kit/shell/shell.js';
import { methodName } from '../../kit/source/saved-method.js';
import { initialSource } from '../../kit/source/source-form.js';
import { checkSource, isMethodRemoved, typed } from '../../kit/source/source-check.js';
import { SourceFields } from '../../kit/source/source-fields.js';
import { manage } from '../../kit/text/index.js';

const DEFAULT = 'makeDefault';

export function WalletPage({ session }: FlowProps<WalletPageSession>) {
  const wallet = useWallet();
  const { action, notice } = wallet;
  const methods = session.savedMethods;
  const [adding, setAdding] = useState(false);
  const text = manage.wallet;
  const email = session.customer?.emailAddress;
  const isFull = methods.length >= session.maxMethods;
  const canAdd = session.unavailable === undefined && session.methods.length > 0;

  return (
    <ManagePage
      title={text.title}
      {...(email === undefined ? {} : { intro: <SavedFor email={email} /> })}
      notice={notice}
      actions={[action]}
      isDone={isFull}
    >
      <Unavailable session={session} />
      {isFull && <p class="panel">{text.full}</p>}
      {methods.length === 0 && !adding && <p class="panel">{text.empty}</p>}
      {methods.length > 0 && (
        <ul class="items">
          {methods.map((method) => (
            <li key={method.id}>
              {wallet.isGone(method) ? (
                <Notice tone="warning" focused>
                  <p>{text.gone(methodName(method))}</p>
                </Notice>
              ) : (
                <MethodItem session={session} wallet={wallet} method={method} />
              )}
            </li>
          ))}
        </ul>
      )}
      {canAdd && !isFull && (
        <Opener
          open={adding}
          button={
            <Button kind={wallet.isExpanded ? 'secondary' : 'primary'} onPress={() => setAdding(true)}>
              <Icon name="plus" />
              {text.add}
            </Button>
          }
        >
          <AddForm
            session={session}
            onAdded={(method) => {
              setAdding(false);
              wallet.showAdded(method);
            }}
            onCancel={() => setAdding(false)}
          />
        </Opener>
      )}
    </ManagePage>
  );
}

/** What is expanded below a method. */
type Expanded = 'menu' | 'remove' | 'name' | 'expiry';

type Wallet = ReturnType<typeof useWallet>;

/** State and actions of the wallet, and what is expanded below one of its methods. */
function useWallet() {
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
  const show = (next: SavedMethod[], success: string): void => {
    updateMethods(() => next);
    setExpanded(null);
    showNotice(success);
  };
  const lose = ({ id }: SavedMethod): void => {
    setGoneIds((before) => [...before, id]);
    setExpanded(null);
  };
  const change = (method: SavedMethod, what: 'default' | 'remove', success: string): void => {
    setChangedId(method.id);
    action.run<SavedMethod[]>(
      () =>
        sendChange(
          shell,
          `methods/${encodeURIComponent(method.id)}/${what}`,
          {},
          ({ savedMethods }: WalletPageSession) => {
            const stored = savedMethods.find(({ id }) => id === method.id);
            const isDone = what === 'remove' ? stored === undefined : stored?.isDefault;
            return isDone === true ? savedMethods : undefined;
          },
        ),
      (next) => show(next, success),
      handleGone(() => lose(method)),
    );
  };

  return {
    notice,
    action,
    lose,
    isGone: ({ id }: SavedMethod) => goneIds.includes(id),
    isChanging: ({ id }: SavedMethod) => action.busy && changedId === id,
    /** A form or question below a method has the page's main button. */
    isExpanded: expanded !== null && expanded.what !== 'menu',
    expandedOf: ({ id }: SavedMethod) => (expanded?.id === id ? expanded.what : null),
    expand: ({ id }: SavedMethod, what: Expanded | null) => setExpanded(what && { id, what }),
    makeDefault: (method: SavedMethod) => change(method, 'default', text.madeDefault(methodName(method))),
    remove: (method: SavedMethod) => change(method, 'remove', text.removed(methodName(method))),
    showAdded: (method: SavedMethod) => {
      updateMethods((before) => withMethod(before, method));
      showNotice(text.added(methodName(method)));
    },
    showRenamed: (method: SavedMethod, next: SavedMethod[]) => show(next, text.named(methodName(method))),
    showNewExpiry: (method: SavedMethod, updated: SavedMethod) => {
      updateMethods((before) => before.map((each) => (each.id === updated.id ? updated : each)));
      setExpanded(null);
      showNotice(text.renewed(methodName(method)));
    },
  };
}

/** Says whose methods these are. */
function SavedFor({ email }: { email: string }) {
  const [before, after] = manage.wallet.intro('@').split('@');
  return (
    <>
      {before}
      <Email of={email} plain />
      {after}
    </>
  );
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
const handleGoneOrInvalid =
  (form: Form, then: (() => void) | undefined) =>
  (result: ApiResult<unknown>): boolean =>
    (then !== undefined && handleGone(then)(result)) || showFieldErrors(form)(result);

function withMethod(before: readonly SavedMethod[], added: SavedMethod): SavedMethod[] {
  const others = before.filter(({ id }) => id !== added.id);
  return [...(added.isDefault ? others.map((method) => ({ ...method, isDefault: false })) : others), added];
}

interface MethodItemProps {
  session: WalletPageSession;
  wallet: Wallet;
  method: SavedMethod;
}

/** A method and its menu: edit the expiry date, rename, make default, delete. */
function MethodItem({ session, wallet, method }: MethodItemProps) {
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
        <button
          type="button"
          class="button quiet more"
          aria-label={text.menuOf(name)}
          aria-expanded={expanded !== null}
          onClick={() => wallet.expand(method, expanded === null ? 'menu' : null)}
        >
          <PathIcon path="M12 5v.01M12 12v.01M12 19v.01" />
        </button>
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

function Menu({ session, wallet, method }: MethodItemProps) {
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

interface AddFormProps {
  session: WalletPageSession;
  /** Set when the payer enters this card again with a new expiry date. */
  cardToUpdate?: SavedMethod;
  onAdded: (method: SavedMethod) => void;
  /** Called if the card no longer exists. */
  onGone?: () => void;
  onCancel: () => void;
}

function AddForm({ session, cardToUpdate, onAdded, onGone, onCancel }: AddFormProps) {
  const action = useAction();
  const isUpdate = cardToUpdate !== undefined;
  const methods = isUpdate ? [cardToUpdate.method] : session.methods;
  const [initial] = useState(() => initialSource({ ...session, methods }, []));
  const form = useForm(initial, (values) => checkSource(values, session.now));
  const method = useMethod(form, session.now, {
    makeDefault: () => form.values[DEFAULT] === 'yes',
    cardToUpdate: cardToUpdate?.id,
    find: (stored, source) => savedFrom(source, stored, session.savedMethods),
  });
  const text = manage.wallet;
  useEffect(() => {
    if (isUpdate) document.getElementById(fieldId('cardNumber'))?.focus();
  }, [isUpdate]);

  const submit = (): void =>
    action.run(
      () => method.resolve(),
      ({ added }) => {
        if (added !== undefined) onAdded(added);
      },
      handleGoneOrInvalid(form, onGone),
    );

  return (
    <ActionForm
      form={form}
      action={action}
      submit={isUpdate ? text.renewSave : text.addSave}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <SourceFields
        form={form}
        session={{ ...session, methods }}
        saved={[]}
        disabled={action.busy}
        legend={isUpdate ? text.renewTitle(cardToUpdate.last4) : text.addTitle}
        isFixed={isUpdate}
        focused={!isUpdate}
      />
      {!isUpdate && <CheckField {...form.field(DEFAULT)} label={text.useAsDefault} disabled={action.busy} />}
    </ActionForm>
  );
}

/** The stored method with the typed number that the page does not list, or lists with another expiry date. */
function savedFrom(
  source: NewSource,
  stored: readonly SavedMethod[],
  listed: readonly SavedMethod[],
): SavedMethod | undefined {
  const number = source.method === 'ACH' ? source.accountNumber : source.cardNumber;
  const isListed = ({ id, expiry }: SavedMethod): boolean =>
    listed.some((each) => each.id === id && each.expiry === expiry);
  return stored.find(
    (each) => each.method === source.method && number.endsWith(each.last4) && !isListed(each),
  );
}
