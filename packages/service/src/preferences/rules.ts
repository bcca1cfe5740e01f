/** A customer's notification preferences: e-mail and SMS, by kind. */
import {
  NOTIFICATION_KINDS,
  type ChannelChoice,
  type NotificationKind,
  type Preferences,
} from '../shared/page.js';
import { readPhone } from '../shared/phone.js';
import { ok, invalid, type Validated, type Problem } from '../core/result.js';
import { isRecord } from '../processor/rules/source.js';

export interface Notifications {
  ofCustomer(customerId: string): Promise<Preferences | null>;
  put(businessUnit: string, customerId: string, preferences: Preferences): Promise<unknown>;
  list(businessUnit: string): Promise<{ customerId: string; preferences: Preferences }[]>;
}

/** Defaults until the customer chooses: e-mail for everything, no SMS. */
export const DEFAULT_PREFERENCES: Preferences = {
  kinds: {
    'payment-confirmation': { email: true, sms: false },
    'payment-reminder': { email: true, sms: false },
    'bill-ready': { email: true, sms: false },
    autopay: { email: true, sms: false },
    'autopay-reminder': { email: true, sms: false },
  },
};

/**
 * The choice of reminders after release 0.3 has saved `autopay`, which it doesn't tell from its reminders: turning it off
 * turns them off, too, but never on again.
 */
export function remindersOf(autopay: ChannelChoice, before: ChannelChoice | null): ChannelChoice {
  return before === null ? autopay : { email: before.email && autopay.email, sms: before.sms && autopay.sms };
}

/**
 * Validates submitted preferences and reports every problem. Pages send the kinds that the customer has changed, and in
 * `changed` their channels. The others keep their stored choice, which may be newer than the page.
 */
export function checkPreferences(input: unknown, stored: Preferences | null): Validated<Preferences> {
  const fields = isRecord(input) ? input : {};
  const kinds = isRecord(fields['kinds']) ? fields['kinds'] : {};
  const { changed } = fields;
  // Pages of earlier releases don't say which channels have changed.
  const isKept = (field: string) => Array.isArray(changed) && !changed.includes(field);
  const problems: Problem[] = [];
  const chosen = Object.fromEntries(
    NOTIFICATION_KINDS.map((kind) => {
      const choice = kinds[kind] ?? kept(kind, kinds, stored);
      const { email, sms } = isRecord(choice) ? choice : {};
      if (typeof email !== 'boolean' || typeof sms !== 'boolean') {
        problems.push({ field: `kinds.${kind}`, message: 'Choose e-mail and SMS on or off.' });
      }
      const current = (stored ?? DEFAULT_PREFERENCES).kinds[kind];
      return [
        kind,
        {
          email: isKept(`kinds.${kind}.email`) ? current.email : email === true,
          sms: isKept(`kinds.${kind}.sms`) ? current.sms : sms === true,
        },
      ];
    }),
  ) as Preferences['kinds'];

  const raw = fields['keepsPhone'] === true ? stored?.phoneNumber : fields['phoneNumber'];
  const typed = typeof raw === 'string' ? raw.trim() : '';
  const phoneNumber = readPhone(typed);
  const wantsSms = NOTIFICATION_KINDS.some((kind) => chosen[kind].sms);
  if (phoneNumber === null && (typed !== '' || wantsSms)) {
    problems.push({
      field: 'phoneNumber',
      message: 'Enter a phone number with its area code, or with + and its country code.',
    });
  }
  if (problems.length > 0) return invalid(...problems);
  return ok({ kinds: chosen, ...(phoneNumber === null ? {} : { phoneNumber }) });
}

/** Pages of release 0.3 send no reminders. */
function kept(kind: NotificationKind, kinds: Record<string, unknown>, stored: Preferences | null): unknown {
  const { autopay } = kinds;
  const current = (stored ?? DEFAULT_PREFERENCES).kinds[kind];
  if (kind !== 'autopay-reminder' || !isRecord(autopay)) return current;
  return remindersOf(autopay as unknown as ChannelChoice, stored && current);
}
