/** The customer's payment methods: add, make default, delete. */
import { useState } from 'preact/hooks';
import type { SavedMethod, WalletPageSession } from '../../../wire/page.js';
import { Button } from '../design/button.js';
import { CheckField, ErrorSummary } from '../design/field.js';
import { useForm } from '../design/form.js';
import { Icon } from '../design/icons.js';
import { inert } from '../format/inert.js';
import { Confirm } from '../manage/confirm.js';
import { Failure, ManagePage, Unavailable, useTold } from '../manage/manage-page.js';
import { MethodLine } from '../manage/method-line.js';
import { useAction } from '../manage/use-action.js';
import { showIn, useMethod } from '../manage/use-method.js';
import type { FlowProps } from '../shell/app.js';
import { useShell } from '../shell/shell.js';
import { methodName } from '../source/saved-method.js';
import { CHOICE, checkSource, firstChoice } from '../source/source-form.js';
import { SourceFields } from '../source/source-fields.js';
import { manage, t } from '../text/index.js';

const DEFAULT = 'makeDefault';

export function WalletPage({ session }: FlowProps<WalletPageSession>) {
  const { api } = useShell();
  const [methods, setMethods] = useState<readonly SavedMethod[]>(session.savedMethods);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  const [told, tell] = useTold();
  const action = useAction();
  const canAdd = session.unavailable === undefined && session.methods.length > 0;
  const text = manage.wallet;
  const email = session.customer?.emailAddress;

  const change = (method: SavedMethod, what: 'default' | 'remove', said: string): void =>
    action.run<SavedMethod[]>(
      () => api.post(`methods/${encodeURIComponent(method.id)}/${what}`),
      (next) => {
        setMethods(next);
        setRemoving(null);
        tell(said);
      },
    );

  return (
    <ManagePage
      title={text.title}
      {...(email === undefined ? {} : { intro: text.intro(inert(email, 120)) })}
      told={told}
      actions={[action]}
    >
      <Unavailable session={session} />
      {methods.length === 0 && !adding && <p class="panel">{text.empty}</p>}
      {methods.length > 0 && (
        <ul class="items">
          {methods.map((method) => (
            <li key={method.id}>
              <div class="item">
                <MethodLine method={method} />
              </div>
              {removing === method.id ? (
                <Confirm
                  question={text.removeQuestion(methodName(method))}
                  yes={text.removeConfirm}
                  no={text.keep}
                  busy={action.busy}
                  onYes={() => change(method, 'remove', text.removed(methodName(method)))}
                  onNo={() => setRemoving(null)}
                />
              ) : (
                <MethodActions
                  method={method}
                  busy={action.busy}
                  onDefault={() => change(method, 'default', text.madeDefault(methodName(method)))}
                  onRemove={() => setRemoving(method.id)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {adding ? (
        <AddForm
          session={session}
          onAdded={(method) => {
            setMethods((before) => withMethod(before, method));
            setAdding(false);
            tell(text.added(methodName(method)));
          }}
          onCancel={() => setAdding(false)}
        />
      ) : (
        canAdd && (
          <Button onPress={() => setAdding(true)}>
            <Icon name="plus" />
            {text.add}
          </Button>
        )
      )}
    </ManagePage>
  );
}

function withMethod(before: readonly SavedMethod[], added: SavedMethod): SavedMethod[] {
  const others = before.filter(({ id }) => id !== added.id);
  return [...(added.isDefault ? others.map((method) => ({ ...method, isDefault: false })) : others), added];
}

interface MethodActionsProps {
  method: SavedMethod;
  busy: boolean;
  onDefault: () => void;
  onRemove: () => void;
}

function MethodActions({ method, busy, onDefault, onRemove }: MethodActionsProps) {
  const text = manage.wallet;
  const name = methodName(method);
  return (
    <>
      {method.usedBy.includes('autopay') && <p class="quiet">{text.inUseAutopay}</p>}
      {method.usedBy.includes('scheduled-payment') && <p class="quiet">{text.inUseScheduled}</p>}
      <div class="item-actions">
        {!method.isDefault && (
          <Button kind="quiet" busy={busy} label={text.makeDefaultOf(name)} onPress={onDefault}>
            {text.makeDefault}
          </Button>
        )}
        {method.usedBy.length === 0 && (
          <Button kind="quiet" busy={busy} label={text.removeOf(name)} onPress={onRemove}>
            {text.remove}
          </Button>
        )}
      </div>
    </>
  );
}

interface AddFormProps {
  session: WalletPageSession;
  onAdded: (method: SavedMethod) => void;
  onCancel: () => void;
}

function AddForm({ session, onAdded, onCancel }: AddFormProps) {
  const action = useAction();
  const [initial] = useState(() => ({ [CHOICE]: firstChoice(session.methods, []) }));
  const form = useForm(initial, (values) => checkSource(values, session.now));
  const method = useMethod(form, session.now, () => form.values[DEFAULT] === 'yes');
  const asDefault = form.field(DEFAULT);
  const text = manage.wallet;

  const submit = (): void => {
    if (action.busy || !form.submit()) return;
    action.run(
      () => method.resolve(),
      ({ added }) => {
        if (added !== undefined) onAdded(added);
      },
      showIn(form),
    );
  };

  return (
    <form
      class="card plain"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Failure of={action} />
      <ErrorSummary state={form.state} />
      <SourceFields
        form={form}
        methods={session.methods}
        saved={[]}
        disabled={action.busy}
        legend={text.addTitle}
        focused
      />
      <CheckField
        id={asDefault.id}
        label={text.useAsDefault}
        checked={asDefault.value === 'yes'}
        onChecked={(checked) => asDefault.onValue(checked ? 'yes' : '')}
        disabled={action.busy}
      />
      <Button busy={action.busy}>{action.busy ? t.common.working : text.addSave}</Button>
      <Button kind="quiet" onPress={onCancel}>
        {t.common.cancel}
      </Button>
    </form>
  );
}
