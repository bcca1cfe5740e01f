/** An account of the merchant, as far as its session tells of it. */
import type { PageAccount, ReceiptAccount } from '../../../../shared/page.js';
import { day } from '../format/date.js';
import { isolate } from '../format/isolate.js';
import { inert } from '../../../../shared/inert.js';
import { money } from '../format/money.js';
import { t } from '../text/index.js';

/**
 * `Account 1001 · Due Dec 1, 2026`, the rest behind "Details", the merchant's note in the open. `named`: what stands
 * above is the account's name already. `id`: of the line with its number.
 */
export function AccountDetails({ id, account, named }: { id: string; account: PageAccount; named: boolean }) {
  const rows: [string, string][] = [];
  if (account.balance !== undefined) rows.push([t.account.balance, money(account.balance)]);
  if (account.issueDate !== undefined) rows.push([t.account.issued, day(account.issueDate)]);
  if (account.phoneNumber !== undefined) rows.push([t.account.phone, inert(account.phoneNumber, 60)]);
  const address = addressText(account.address);
  if (address !== '') rows.push([t.account.address, address]);
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
      {account.note !== undefined && account.note !== '' && (
        <p class="note">
          <span class="visually-hidden">{t.account.note}: </span>
          <bdi>{inert(account.note, 1000)}</bdi>
        </p>
      )}
      {rows.length > 0 && (
        <details>
          <summary>{t.account.details}</summary>
          <dl class="rows">
            {rows.map(([label, value]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}

/** `Account 1001-02`. */
export function accountNumber({ accountNumber, subAccountNumber }: ReceiptAccount): string {
  const number = subAccountNumber === '' ? accountNumber : `${accountNumber}-${subAccountNumber}`;
  return t.common.accountNumber(inert(number, 80));
}

/** `Dana Reyes · Account 1001-02`; the number alone where no name is known (D-4). */
export function accountName(account: ReceiptAccount): string {
  return parts(account).map(isolate).join(' · ');
}

/** The same, each part in an isolate of its own. */
export function AccountName({ account }: { account: ReceiptAccount }) {
  return parts(account).map((part, place) => [place > 0 && ' · ', <bdi key={part}>{part}</bdi>]);
}

function parts(account: ReceiptAccount): string[] {
  return [...(account.name ? [inert(account.name, 120)] : []), accountNumber(account)];
}

function addressText(address: PageAccount['address']): string {
  if (address === undefined) return '';
  const region = [address.state, address.zipCode].filter(Boolean).join(' ');
  return [address.streetAddress, address.streetAddress2, address.city, region]
    .filter((part): part is string => part !== undefined && part !== '')
    .map((part) => inert(part, 100))
    .join(', ');
}
