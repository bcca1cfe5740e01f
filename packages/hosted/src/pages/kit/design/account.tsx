/** Shows a merchant's account. */
import type { PageAccount, ReceiptAccount } from '@shared/page.js';
import { day } from '../format/date.js';
import { inert } from '@shared/inert.js';
import { isolate } from '../format/locale.js';
import { t, terms } from '../text/index.js';
import type { AccountRows } from './account-rows.js';
import type { DetailRow } from './detail-rows.js';

interface AccountDetailsProps {
  /** Id of the line with the account's number. */
  id: string;
  account: PageAccount;
  /** Omits the account's name, which the text above already shows. */
  numberOnly: boolean;
  /** Additional rows under "Details". */
  more: readonly DetailRow[];
  /** The content of "Details", once loaded. */
  Rows: typeof AccountRows | undefined;
}

/** `Account 1001 · Due Dec 1, 2026`, then the merchant's note. Everything else is under "Details". */
export function AccountDetails({ id, account, numberOnly, more, Rows }: AccountDetailsProps) {
  const due = account.dueDate === undefined ? [] : [`${t.account.due} ${day(account.dueDate)}`];
  return (
    <div class="account">
      <p id={id} class="below-name">
        <Parts of={[...(numberOnly ? [accountNumber(account)] : nameParts(account)), ...due]} />
      </p>
      {account.note && (
        <p class="note">
          <span class="visually-hidden">{t.account.note}: </span>
          <bdi>{inert(account.note, 1000)}</bdi>
        </p>
      )}
      {(more.length > 0 || hasMore(account)) && (
        <details>
          <summary>{t.account.details}</summary>
          {Rows && <Rows account={account} more={more} />}
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
  return terms.accountNumber(isolate(inert(number, 80)));
}

/** `Dana Reyes · Account 1001-02`, each part in an isolate. Only the number if no name is known (D-4). */
export function AccountName({ account }: { account: ReceiptAccount }) {
  return <Parts of={nameParts(account)} />;
}

/** Parts of a line with a dot between them. A line breaks between parts before it breaks a part. */
export function Parts({ of }: { of: readonly string[] }) {
  return of.map((part) => (
    <span key={part} class="part">
      <bdi>{part}</bdi>
    </span>
  ));
}

export function nameParts(account: ReceiptAccount): string[] {
  return [...(account.name ? [inert(account.name, 120)] : []), accountNumber(account)];
}
