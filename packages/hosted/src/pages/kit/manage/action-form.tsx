/** A form of a management page: what stopped it, its fields, and the ways to send it or to leave it. */
import type { ComponentChildren } from 'preact';
import { Button } from '../design/button.js';
import { ErrorSummary } from '../design/error-summary.js';
import { isTouched, type Form } from '../design/form.js';
import { rest, t } from '../text/index.js';
import { Failure } from './manage-page.js';
import { useBegun, useOpened } from './begun.js';
import type { Action } from './use-action.js';

interface ActionFormProps {
  form: Form;
  action: Action;
  /** Words of the button that sends it. */
  submit: string;
  /** Nothing is wrong with the fields. */
  onSubmit: () => void;
  onCancel?: () => void;
  children: ComponentChildren;
}

export function ActionForm({ form, action, submit, onSubmit, onCancel, children }: ActionFormProps) {
  useBegun(isTouched(form));
  useOpened(onCancel !== undefined);
  return (
    <form
      class="card plain"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (action.busy) return;
        // The fields are shut while it is sent, and would drop the focus.
        event.currentTarget.querySelector<HTMLElement>('[type=submit]')?.focus();
        if (form.submit()) onSubmit();
      }}
    >
      <Failure of={action} />
      <ErrorSummary state={form.state} />
      {children}
      <Button busy={action.busy}>{action.busy ? t.common.working : submit}</Button>
      {onCancel !== undefined && (
        <Button
          kind="quiet"
          onPress={() => {
            if (!action.busy) onCancel();
          }}
        >
          {rest.common.cancel}
        </Button>
      )}
    </form>
  );
}
