import { type Preferences, NOTIFICATION_KINDS, type NotificationKind } from '@shared/page.js';
import { readPhone } from '@shared/phone.js';
import { plain } from '@shared/plain.js';
import type { Problems, Values } from '../../kit/design/form.js';
import { rest } from '../../kit/text/index.js';

export const PHONE = 'phoneNumber';

export function channelField(kind: NotificationKind, channel: 'email' | 'sms'): string {
  return `kinds.${kind}.${channel}`;
}

export function initialValues(preferences: Preferences): Values {
  return {
    [PHONE]: preferences.phoneNumber === undefined ? '' : phoneText(preferences.phoneNumber),
    ...Object.fromEntries(
      NOTIFICATION_KINDS.flatMap((kind) => [
        [channelField(kind, 'email'), preferences.kinds[kind]?.email ? 'yes' : ''],
        [channelField(kind, 'sms'), preferences.kinds[kind]?.sms ? 'yes' : ''],
      ]),
    ),
  };
}

export function wantsSms(values: Values): boolean {
  return NOTIFICATION_KINDS.some((kind) => values[channelField(kind, 'sms')] === 'yes');
}

export function checkPreferences(values: Values): Problems {
  const number = (values[PHONE] ?? '').trim();
  if (number === '') return wantsSms(values) ? { [PHONE]: rest.invalid.phoneNeeded } : {};
  return readPhone(number) === null ? { [PHONE]: rest.invalid.phone } : {};
}

/** What differs from `before`: the rest may have changed elsewhere. */
export function changes(
  values: Values,
  before: Values,
): Preferences & { changed: string[]; keepsPhone: boolean } {
  const changed = changedChannels(values, before);
  const keepsPhone = values[PHONE] === before[PHONE];
  return { ...preferencesOf(values, changedKinds(values, before)), changed, keepsPhone };
}

function changedChannels(values: Values, before: Values): string[] {
  return NOTIFICATION_KINDS.flatMap((kind) => [
    channelField(kind, 'email'),
    channelField(kind, 'sms'),
  ]).filter((field) => values[field] !== before[field]);
}

/** AutoPay and its reminders go together. */
export function changedKinds(values: Values, before: Values): NotificationKind[] {
  const changed = changedChannels(values, before);
  const isChanged = (kind: NotificationKind): boolean =>
    changed.some((field) => field.startsWith(`kinds.${kind}.`));
  const ofAutopay: readonly NotificationKind[] = ['autopay', 'autopay-reminder'];
  return NOTIFICATION_KINDS.filter(
    (kind) => isChanged(kind) || (ofAutopay.includes(kind) && ofAutopay.some(isChanged)),
  );
}

export function preferencesOf(values: Values, kinds: readonly NotificationKind[]): Preferences {
  const phoneNumber = readPhone((values[PHONE] ?? '').trim());
  const entries = kinds.map(
    (kind) =>
      [
        kind,
        {
          email: values[channelField(kind, 'email')] === 'yes',
          sms: values[channelField(kind, 'sms')] === 'yes',
        },
      ] as const,
  );
  return {
    ...(phoneNumber === null ? {} : { phoneNumber }),
    kinds: Object.fromEntries(entries) as Preferences['kinds'],
  };
}

/** Formats phone numbers as people in the US write them. Longer ones stay as they are. */
export function formatPhone(typed: string): string {
  const digits = typed.length > 10 && typed.startsWith('1') ? typed.slice(1) : typed;
  if (digits.length > 10) return typed;
  if (digits.length <= 3) return digits;
  if (digits.length <= 6) return `(${digits.slice(0, 3)}) ${digits.slice(3)}`;
  return `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`;
}

/** Returns the input to format, or null to leave a number with a country code as it is. */
export const usNumber = (value: string): string | null => (plain(value).includes('+') ? null : value);

/** `+15555550100` → `(555) 555-0100`. Leaves numbers from other countries unchanged. */
export function phoneText(e164: string): string {
  return /^\+1\d{10}$/.test(e164) ? formatPhone(e164.slice(2)) : e164;
}
