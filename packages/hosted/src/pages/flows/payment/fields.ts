/** The business unit's custom fields that the merchant left empty. */
import type { PageField } from '../../../../../service/src/shared/page.js';

export function inputName({ key }: PageField): string {
  return `fields.${key}`;
}

export function openFields(fields: readonly PageField[]): PageField[] {
  return fields.filter(({ value }) => value === undefined);
}

/** The checkbox that saves the method. */
export const SAVE = 'saveMethod';
