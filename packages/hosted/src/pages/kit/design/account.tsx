/** An account of the merchant, as far as its session tells of it. */
import type { PageAccount, ReceiptAccount } from '../../../../../service/src/shared/page.js';
import { day } from '../format/date.js';
import { inert } from '../../../../../service/src/shared/inert.js';
import { isolate } from '../format/isolate.js';
import { t } from '../text/index.js';
import type { AccountRows } from './account-rows.js';

interface AccountDetailsProps {
  /** Of the line with its number. */
  id: string;
  account: PageAccount;
  /** What stands above is the account's name already. */
  named: boolean;
  /** What is behind "Details", once it is there. */
  Rows: typeof AccountRows | undefined;
}

/** `Account 1001 · Due Dec 1, 2026`, the rest behind "Details", the merchant's note in the open. */
export function AccountDetails({ id, account, named, Rows }: AccountDetailsProps) {
  return (
    <div class="account">
      <p id={id}>
        {named ? <bdi>{accountNumber(account)}</bdi> : <AccountName account={account} />}
        {account.dueDate !== undefined && (
          <>
            {' · '}
            {t.account.due} {day(account.dueDate)}
          </>
        )}
      </p>
      {account.note && (
        <p class="note">
          <span class="visually-hidden">{t.account.note}: </span>
          <bdi>{inert(account.note, 1000)}</bdi>
        </p>
      )}
      {hasMore(account) && (
        <details>
          <summary>{t.account.details}</summary>
          {Rows && <Rows account={account} />}
        </details>
      )}
    </div>
  );
}

function hasMore({ balance, issueDate, phoneNumber, address = {} }: PageAccount): boolean {
  return [balance, issueDate, phoneNumber, ...Object.values(address)].some(
    (part) => part !== undefined && part !== '',
  );
}

/** `Account 1001-02`. */
export function accountNumber({ accountNumber, subAccountNumber }: ReceiptAccount): string {
  const number = subAccountNumber === '' ? accountNumber : `${accountNumber}-${subAccountNumber}`;
  return t.common.accountNumber(isolate(inert(number, 80)));
}

/** `Dana Reyes · Account 1001-02`, each part in an isolate; the number alone where no name is known (D-4). */
export function AccountName({ account }: { account: ReceiptAccount }) {
  return nameParts(account).map((part, place) => [place > 0 && ' · ', <bdi key={part}>{part}</bdi>]);
}

export function nameParts(account: ReceiptAccount): string[] {
  return [...(account.name ? [inert(account.name, 120)] : []), accountNumber(account)];
}
