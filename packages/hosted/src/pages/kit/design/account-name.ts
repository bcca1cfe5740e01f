import type { ReceiptAccount } from '@shared/page.js';
import { isolate } from '../format/isolate.js';
import { nameParts } from './account.js';

/** `Dana Reyes · Account 1001-02`, or only the number if no name is known (D-4). */
export function accountName(account: ReceiptAccount): string {
  return nameParts(account).map(isolate).join(' · ');
}
