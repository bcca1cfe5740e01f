/** Handles Enter, and Next on a phone's keyboard, in a form field. */

const TEXT = 'input:not([type=radio], [type=checkbox]), select';

/**
 * Moves the focus to the next empty field. Only the last field submits the form. In an earlier field, if nothing below
 * it is empty, the focus moves to the submit button.
 */
export function onEnter(event: KeyboardEvent): void {
  const field = event.target as HTMLInputElement;
  if (event.key !== 'Enter' || event.isComposing || !field.matches('input, select') || field.form === null)
    return;

  const fields = Array.from(field.form.elements).filter(
    (element): element is HTMLInputElement => element.matches(TEXT) && !element.matches(':disabled'),
  );
  if (fields.at(-1) === field) return;

  event.preventDefault();
  const isBelow = (other: Node): boolean =>
    (field.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const next = fields.find((other) => other.value === '' && isBelow(other));
  (next ?? field.form.querySelector<HTMLElement>('[type=submit]'))?.focus();
}
