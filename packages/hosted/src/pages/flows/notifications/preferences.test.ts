import { beforeAll, expect, it } from 'vitest';
import { type Preferences, NOTIFICATION_KINDS } from '@shared/page.js';
import { setTexts } from '../../kit/text/index.js';
import { textsOf } from '../../../../../service/src/texts/texts.js';
import {
  changedKinds,
  changes,
  checkPreferences,
  initialValues,
  PHONE,
  preferencesOf,
  channelField,
  formatPhone,
  phoneText,
  usNumber,
} from './preferences.js';

const none = { email: false, sms: false };
const preferences: Preferences = {
  phoneNumber: '+12075550123',
  kinds: {
    'payment-confirmation': { email: true, sms: true },
    'payment-reminder': none,
    'bill-ready': none,
    autopay: none,
    'autopay-reminder': none,
  },
};

beforeAll(() => setTexts(textsOf('en')));

it('R-57 converts preferences to form values and back', () => {
  expect(preferencesOf(initialValues(preferences), NOTIFICATION_KINDS)).toEqual(preferences);
});

it('R-104 sends only changed kinds, and AutoPay together with its reminders', () => {
  const before = initialValues(preferences);
  const changed = (change: Record<string, string>) => changedKinds({ ...before, ...change }, before);
  expect(changed({})).toEqual([]);
  expect(changed({ [channelField('bill-ready', 'sms')]: 'yes' })).toEqual(['bill-ready']);
  expect(changed({ [channelField('autopay', 'email')]: 'yes' })).toEqual(['autopay', 'autopay-reminder']);
});

it('R-104 says which channels the customer has changed', () => {
  const before = initialValues(preferences);
  const field = channelField('bill-ready', 'sms');
  const after = { ...before, [field]: before[field] ? '' : 'yes' };
  expect(changes(after, before).changed).toEqual(['kinds.bill-ready.sms']);
});

it('R-104 says whether the customer has changed the phone number', () => {
  const before = initialValues(preferences);
  const keepsPhone = (change: Record<string, string>) => changes({ ...before, ...change }, before).keepsPhone;
  expect([keepsPhone({}), keepsPhone({ [PHONE]: '(207) 555-0199' })]).toEqual([true, false]);
});

it('R-57 requires a phone number for text messages', () => {
  const values = { [channelField('autopay', 'sms')]: 'yes' };
  expect(checkPreferences(values)).toHaveProperty(PHONE);
  expect(checkPreferences({ ...values, [PHONE]: '123' })).toHaveProperty(PHONE);
  expect(checkPreferences({ ...values, [PHONE]: '(207) 555-0123' })).toEqual({});
  expect(checkPreferences({})).toEqual({});
});

it('formats US numbers and leaves others unchanged', () => {
  expect(formatPhone('2075550123')).toBe('(207) 555-0123');
  expect(formatPhone('12075550123')).toBe('(207) 555-0123');
  // A digit too many must not make it a number of Egypt (+20).
  expect(checkPreferences({ [PHONE]: formatPhone('20755501234') })).toHaveProperty(PHONE);
  // Nor may a digit less make another number.
  expect(formatPhone('00491234567890123')).toBe('00491234567890123');
  expect(usNumber('2075550123')).toBe('2075550123');
  expect(usNumber('\uff0b4520123456')).toBeNull();
  expect(phoneText('+442079460958')).toBe('+442079460958');
});
