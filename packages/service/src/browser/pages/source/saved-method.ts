import type { SavedMethod } from '../../../wire/page.js';
import { inert } from '../format/inert.js';
import { t } from '../text/index.js';

/** What a saved or used method is called: `Visa ending in 4242`. */
export function methodName(method: Pick<SavedMethod, 'method' | 'brand' | 'last4'>): string {
  return method.method === 'ACH'
    ? t.method.savedBank(method.last4)
    : t.method.savedCard(inert(method.brand ?? t.method.unnamedCard, 30), method.last4);
}
