/** A form on a management page: its error, its fields, and buttons to submit or cancel. */
import type { ComponentChildren } from 'preact';
import { Button } from '../design/button.js';
import { ErrorSummary } from '../design/error-summary.js';
import { Fields } from '../design/field.js';
import { onEnter } from '../design/next-field.js';
import { isTouched, type Form } from '../design/form.js';
import { rest, t } from '../text/index.js';
import { MessageNotice, useForms, useOpened } from './page.js';
import { useCancel, type FormAction } from './use-action.js';

interface ActionFormProps {
  form: Form;
  action: FormAction;
  /** Label of the submit button. */
  submit: string;
  /** Called if the fields are valid. */
  onSubmit: () => void;
  onCancel?: () => void;
  children: ComponentChildren;
}

export function ActionForm({ form, action, submit, onSubmit, onCancel, children }: ActionFormProps) {
  useForms(isTouched(form));
  useOpened(onCancel !== undefined);
  const cancel = useCancel(action.busy, () => onCancel?.());
  return (
    <form class="card plain" noValidate onKeyDown={onEnter}>
      <MessageNotice message={action.failure} />
      <Fields disabled={action.busy}>{children}</Fields>
      {/* Sticks while fields need attention, so that the payer sees how many while fixing the first. */}
      <div class={form.state.refusedFields > 0 ? 'pay-bar' : 'submit'}>
        <ErrorSummary state={form.state} />
        <Button
          type="submit"
          onPress={() => {
            if (form.submit()) onSubmit();
          }}
          busy={action.busy}
        >
          {action.busy ? t.common.working : submit}
        </Button>
      </div>
      {onCancel !== undefined && (
        <Button kind="quiet" onPress={cancel}>
          {rest.common.cancel}
        </Button>
      )}
    </form>
  );
}
