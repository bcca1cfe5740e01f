import { useEffect, useState } from 'preact/hooks';
import type { SavedMethod, WalletPageSession } from '@shared/page.js';
import { CheckField } from '../../kit/design/field.js';
import { fieldId, useForm } from '../../kit/design/form.js';
import { ActionForm } from '../../kit/manage/action-form.js';
import { useFormAction } from '../../kit/manage/use-action.js';
import { showFieldErrors, useMethod } from '../../kit/manage/use-method.js';
import type { ApiResult } from '../../kit/shell/api.js';
import { checkSource } from '../../kit/source/source-check.js';
import { SourceFields } from '../../kit/source/source-fields.js';
import { initialSource } from '../../kit/source/source-form.js';
import { manage } from '../../kit/text/index.js';

const DEFAULT = 'makeDefault';

interface AddFormProps {
  session: WalletPageSession;
  /** Set when the payer enters this card again with a new expiry date. */
  cardToUpdate?: SavedMethod;
  onAdded: (method: SavedMethod) => void;
  /** Returns true if it has handled the refusal. */
  onRefused?: (result: ApiResult<unknown>) => boolean;
  onCancel: () => void;
}

/** Adds a method, or updates a saved card. */
export function AddForm({ session, cardToUpdate, onAdded, onRefused, onCancel }: AddFormProps) {
  const action = useFormAction();
  const isUpdate = cardToUpdate !== undefined;
  const methods = isUpdate ? [cardToUpdate.method] : session.methods;
  const [initial] = useState(() => initialSource({ ...session, methods }, []));
  const form = useForm(initial, (values) => checkSource(values, session.now));
  const saveMethod = useMethod(form, session.now, {
    makeDefault: () => form.values[DEFAULT] === 'yes',
    cardToUpdate: cardToUpdate?.id,
  });
  const text = manage.wallet;
  useEffect(() => {
    if (isUpdate) document.getElementById(fieldId('cardNumber'))?.focus();
  }, [isUpdate]);

  const submit = (): void =>
    action.run(
      saveMethod,
      ({ added }) => {
        if (added !== undefined) onAdded(added);
      },
      (result) => onRefused?.(result) === true || showFieldErrors(form)(result),
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
        legend={isUpdate ? text.renewTitle(cardToUpdate.last4) : text.addTitle}
        isFixed={isUpdate}
        focused={!isUpdate}
      />
      {!isUpdate && <CheckField {...form.field(DEFAULT)} label={text.useAsDefault} />}
    </ActionForm>
  );
}
