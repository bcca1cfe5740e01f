/** A charge: its name, its amount, and its account. The payer can leave it out or change its amount, if allowed. */
import type { PageCharge } from '@shared/page.js';
import { inert } from '@shared/inert.js';
import { AccountDetails, nameParts } from '../../kit/design/account.js';
import { AmountField } from '../../kit/design/amount-field.js';
import { ProblemLine } from '../../kit/design/field.js';
import type { FieldBinding, Form } from '../../kit/design/form.js';
import { money } from '../../kit/format/money.js';
import { pay } from '../../kit/text/index.js';
import { amountField, chosenField, isChosen, isFirstOfAccount } from './charges.js';
import type { DetailRow } from './detail-rows.js';
import type { Late } from './late.js';

interface ChargeLineProps {
  charge: PageCharge;
  /** Cents. */
  maxAmount: number;
  form: Form;
  /** Whether the headline already shows its amount. */
  only: boolean;
  /** Width of an amount's field in characters: the same for all, so that they align. */
  size: number;
  /** Labels and values for "Details" besides the account's. */
  more: readonly DetailRow[];
  late: Late | undefined;
}

export function ChargeLine({ charge, maxAmount, form, only, size, more, late }: ChargeLineProps) {
  const { account, description } = charge;
  const chosen = isChosen(charge, form.values);
  const changing = charge.adjustable && chosen;
  const selection = form.field(chosenField(charge));
  const amount = form.field(amountField(charge));

  const [accountName = pay.charge] = account ? nameParts(account) : [];
  const name = description === undefined ? accountName : inert(description);
  const accountId = `${amount.id}-account`;
  const amountId = changing ? `${amount.id}-hint` : `${amount.id}-shown`;
  // Accounts with the same name are distinguished by number.
  const describedBy = [account && accountId, amountId, selection.problem && `${selection.id}-problem`];
  const picks = charge.selectable && isFirstOfAccount(charge);
  return (
    <li class={chosen ? '' : 'left-out'}>
      <div class="line">
        {picks ? (
          <PickBox
            name={name}
            selection={selection}
            chosen={chosen}
            describedBy={describedBy.filter(Boolean).join(' ')}
          />
        ) : (
          <span class="line-name">
            <bdi>{name}</bdi>
          </span>
        )}
        {!changing && (charge.adjustable || !only) && (
          <span class="money" id={amountId}>
            {money(charge.amount)}
          </span>
        )}
        {changing && (
          <AmountField
            {...amount}
            label={pay.amountFor(name)}
            hideLabel
            describedBy={account && accountId}
            form="payment-form"
            hint={pay.upTo(money(maxAmount))}
            size={size}
          />
        )}
      </div>
      {picks && <ProblemLine id={selection.id} problem={selection.problem} />}
      {account !== undefined && (
        <AccountDetails
          id={accountId}
          account={account}
          numberOnly={description === undefined}
          more={more}
          Rows={late?.AccountRows}
        />
      )}
    </li>
  );
}

interface PickBoxProps {
  name: string;
  selection: FieldBinding;
  chosen: boolean;
  describedBy: string;
}

/** The checkbox that includes an account in the payment. */
function PickBox({ name, selection, chosen, describedBy }: PickBoxProps) {
  return (
    <label class="pick">
      <input
        type="checkbox"
        id={selection.id}
        checked={chosen}
        aria-invalid={selection.problem !== undefined}
        aria-describedby={describedBy}
        onChange={(event) => selection.onValue(event.currentTarget.checked ? 'yes' : 'no')}
      />
      <span>
        <bdi>{name}</bdi>
      </span>
    </label>
  );
}
