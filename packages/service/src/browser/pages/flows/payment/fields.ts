/** The business unit's own fields that the merchant left open. */
import type { PageField } from '../../../../shared/page.js';
import type { Problems, Values } from '../../kit/design/form.js';
import { inert } from '../../../../shared/inert.js';
import { MAX_FIELD_VALUE } from '../../../../shared/limits.js';
import { typed } from '../../kit/source/source-form.js';
import { t } from '../../kit/text/index.js';

export function inputName({ key }: PageField): string {
  return `fields.${key}`;
}

export function openFields(fields: readonly PageField[]): PageField[] {
  return fields.filter(({ value }) => value === undefined);
}

export function checkFields(fields: readonly PageField[], values: Values): Problems {
  const problems: Record<string, string> = {};
  for (const field of openFields(fields)) {
    const value = typed(values[inputName(field)]);
    if (field.required && value === '') {
      problems[inputName(field)] = t.invalid.required(inert(field.label, 80));
    } else if (value.length > MAX_FIELD_VALUE) problems[inputName(field)] = t.invalid.tooLong;
  }
  return problems;
}

/** What was entered; an optional field that was left empty is left out. */
export function fieldValues(fields: readonly PageField[], values: Values): Record<string, string> {
  return Object.fromEntries(
    openFields(fields)
      .map((field) => [field.key, typed(values[inputName(field)])] as const)
      .filter(([, value]) => value !== ''),
  );
}
