/** The business unit's custom fields that the merchant left empty. */
import { inert } from '@shared/inert.js';
import type { PageField } from '@shared/page.js';
import { language } from '../../kit/format/locale.js';

/** The label in the page's language, if the business unit has one. */
export function labelOf({ label, labels }: PageField): string {
  return inert(labels?.[language()] ?? label, 80);
}

export function inputName({ key }: PageField): string {
  return `fields.${key}`;
}

export function openFields(fields: readonly PageField[]): PageField[] {
  return fields.filter(({ value }) => value === undefined);
}

/** The checkbox that saves the method. */
export const SAVE = 'saveMethod';
