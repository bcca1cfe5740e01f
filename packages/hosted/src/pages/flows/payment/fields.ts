/** The business unit's own fields that the merchant left open. */
import type { PageField } from '../../../../../service/src/shared/page.js';

export function inputName({ key }: PageField): string {
  return `fields.${key}`;
}

export function openFields(fields: readonly PageField[]): PageField[] {
  return fields.filter(({ value }) => value === undefined);
}

/** The field that offers to save the method. */
export const SAVE = 'saveMethod';
