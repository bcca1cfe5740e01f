import { useEffect, useRef } from 'preact/hooks';
import { rest } from '../text/index.js';
import { focusOn } from './focus-on.js';
import { fieldId, type FormState } from './form.js';
import { Icon } from './icons.js';

/**
 * Shows how many fields were invalid at the last submit, or that the authorization has changed. Sits above the submit
 * button, where it moves no field, and sticks to the bottom of the window. Doesn't change while the fields are fixed. A
 * rejected submit moves the focus to the first invalid field.
 */
export function ErrorSummary({ state }: { state: FormState }) {
  const latest = useRef(state.shown);
  latest.current = state.shown;
  useEffect(() => {
    if (state.refusals > 0) focusFirst(Object.keys(latest.current));
  }, [state.refusals]);
  if (state.refusedFields === 0) return null;
  return (
    <p key={state.refusals} class="attention" role="alert">
      <Icon name="alert" />
      {state.shown['authorization'] ?? rest.common.errorsTitle(state.refusedFields)}
    </p>
  );
}

function focusFirst(names: readonly string[]): void {
  const fields = names
    .map((name) => document.getElementById(fieldId(name)))
    .filter((field) => field !== null);
  // Expand a collapsed list that has a problem.
  for (const field of fields) field.closest('details')?.setAttribute('open', '');
  const [first] = fields;
  // In a group, focus the first option that can be chosen.
  focusOn(first?.querySelector<HTMLElement>('input:enabled') ?? first);
}
