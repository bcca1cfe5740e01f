/** The customer's payment methods: add, make default, delete. */
import { useState } from 'preact/hooks';
import type { SavedMethod, WalletPageSession } from '../../../../shared/page.js';
import { Button } from '../../kit/design/button.js';
import { CheckField } from '../../kit/design/field.js';
import { useForm } from '../../kit/design/form.js';
import { Icon } from '../../kit/design/icons.js';
import { inert } from '../../../../shared/inert.js';
import { ActionForm } from '../../kit/manage/action-form.js';
import { Confirm } from '../../kit/manage/confirm.js';
import { ManagePage, Unavailable, useTold } from '../../kit/manage/manage-page.js';
import { MethodLine } from '../../kit/manage/method-line.js';
import { Opener } from '../../kit/manage/opener.js';
import { useAction } from '../../kit/manage/use-action.js';
import { showIn, useMethod } from '../../kit/manage/use-method.js';
import type { FlowProps } from '../../kit/shell/app.js';
import { useShell } from '../../kit/shell/shell.js';
import { methodName } from '../../kit/source/saved-method.js';
import { CHOICE, checkSource, firstChoice } from '../../kit/source/source-form.js';
import { SourceFields } from '../../kit/source/source-fields.js';
import { manage } from '../../kit/text/index.js';

const DEFAULT = 'makeDefault';

export function WalletPage({ session }: FlowProps<WalletPageSession>) {
  const { api } = useShell();
  const [methods, setMethods] = useState<readonly SavedMethod[]>(session.savedMethods);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  /** The method that the running action is about. */
  const [changed, setChanged] = useState('');
  const [told, tell] = useTold();
  const action = useAction();
  const canAdd = session.unavailable === undefined && session.methods.length > 0;
  const isFull = methods.length >= session.maxMethods;
  const text = manage.wallet;
  const email = session.customer?.emailAddress;

  const change = (method: SavedMethod, what: 'default' | 'remove', said: string): void => {
    setChanged(method.id);
    action.run<SavedMethod[]>(
      () => api.post(`methods/${encodeURIComponent(method.id)}/${what}`),
      (next) => {
        setMethods(next);
        setRemoving(null);
        tell(said);
      },
    );
  };

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
                <MethodLine method={method} now={session.now} />
              </div>
              <MethodActions
                method={method}
                busy={action.busy && changed === method.id}
                removing={removing === method.id}
                onAsk={(asked) => setRemoving(asked ? method.id : null)}
                onDefault={() => change(method, 'default', text.madeDefault(methodName(method)))}
                onRemove={() => change(method, 'remove', text.removed(methodName(method)))}
              />
            </li>
          ))}
        </ul>
      )}
      {isFull && <p class="panel">{text.full}</p>}
      {canAdd && !isFull && (
        <Opener
          open={adding}
          button={
            <Button onPress={() => setAdding(true)}>
              <Icon name="plus" />
              {text.add}
            </Button>
          }
        >
          <AddForm
            session={session}
            onAdded={(method) => {
              setMethods((before) => withMethod(before, method));
              setAdding(false);
              tell(text.added(methodName(method)));
            }}
            onCancel={() => setAdding(false)}
          />
        </Opener>
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
  removing: boolean;
  onAsk: (asked: boolean) => void;
  onDefault: () => void;
  onRemove: () => void;
}

function MethodActions({ method, busy, removing, onAsk, onDefault, onRemove }: MethodActionsProps) {
  const text = manage.wallet;
  const name = methodName(method);
  return (
    <>
      {method.usedBy.includes('autopay') && <p class="quiet">{text.inUseAutopay}</p>}
      {method.usedBy.includes('scheduled-payment') && <p class="quiet">{text.inUseScheduled}</p>}
      <div class="item-actions">
        {!method.isDefault && (
          <Button kind="quiet" busy={busy && !removing} label={text.makeDefaultOf(name)} onPress={onDefault}>
            {text.makeDefault}
          </Button>
        )}
        {method.usedBy.length === 0 && (
          <Opener
            open={removing}
            button={
              <Button kind="quiet" label={text.removeOf(name)} onPress={() => onAsk(true)}>
                {text.remove}
              </Button>
            }
          >
            <Confirm
              question={text.removeQuestion(name)}
              yes={text.removeConfirm}
              no={text.keep}
              busy={busy}
              onYes={onRemove}
              onNo={() => onAsk(false)}
            />
          </Opener>
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
  const [initial] = useState(() => ({ [CHOICE]: firstChoice(session.methods, [], session.now) }));
  const form = useForm(initial, (values) => checkSource(values, session.now));
  const method = useMethod(form, session.now, () => form.values[DEFAULT] === 'yes');
  const asDefault = form.field(DEFAULT);
  const text = manage.wallet;

  const submit = (): void =>
    action.run(
      () => method.resolve(),
      ({ added }) => {
        if (added !== undefined) onAdded(added);
      },
      showIn(form),
    );

  return (
    <ActionForm form={form} action={action} submit={text.addSave} onSubmit={submit} onCancel={onCancel}>
      <SourceFields
        form={form}
        methods={session.methods}
        saved={[]}
        now={session.now}
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
    </ActionForm>
  );
}
