/** A charge with its name, amount and account. If allowed, the payer can exclude it or change its amount. */
import type { PageCharge } from '@shared/page.js';
import { inert } from '@shared/inert.js';
import { AccountDetails, nameParts } from '../../kit/design/account.js';
import { ProblemLine, AmountField } from '../../kit/design/field.js';
import type { FieldBinding, Form } from '../../kit/design/form.js';
import type { DetailRow } from '../../kit/design/detail-rows.js';
import { money } from '../../kit/format/money.js';
import { pay } from '../../kit/text/index.js';
import { amountField, chosenField, isChosen, isFirstOfAccount } from './charges.js';
import { late } from './late-part.js';

interface ChargeLineProps {
  charge: PageCharge;
  /** Cents. */
  maxAmount: number;
  form: Form;
  /** Whether the headline already shows its amount. */
  only: boolean;
  /** Width of the amount field in characters. The same for all charges, so that they align. */
  size: number;
  /** Additional rows under "Details". */
  more: readonly DetailRow[];
}

export function ChargeLine({ charge, maxAmount, form, only, size, more }: ChargeLineProps) {
  const { account, description } = charge;
  const chosen = isChosen(charge, form.values);
  const changing = charge.adjustable && chosen;
  const selection = form.field(chosenField(charge));
  const amount = form.field(amountField(charge));

  const [accountName = pay.charge] = account ? nameParts(account) : [];
  const name = description === undefined ? accountName : inert(description);
  const accountId = `${amount.id}-account`;
  const amountId = changing ? `${amount.id}-hint` : `${amount.id}-shown`;
  // The lines that distinguish charges with the same name.
  const describedBy = [account && accountId].filter(Boolean).join(' ');
  const selectionDescribedBy = [describedBy, amountId, selection.problem && `${selection.id}-problem`];
  const hasCheckbox = charge.selectable && isFirstOfAccount(charge);
  return (
    <li class={chosen ? '' : 'left-out'}>
      <div class="line">
        {hasCheckbox ? (
          <AccountCheckbox
            name={name}
            selection={selection}
            chosen={chosen}
            describedBy={selectionDescribedBy.filter(Boolean).join(' ')}
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
            describedBy={describedBy}
            hint={pay.upTo(money(maxAmount))}
            size={size}
          />
        )}
      </div>
      {hasCheckbox && <ProblemLine id={selection.id} problem={selection.problem} />}
      {account !== undefined && (
        <AccountDetails
          id={accountId}
          account={account}
          numberOnly={description === undefined}
          more={more}
          Rows={late.part?.AccountRows}
        />
      )}
    </li>
  );
}

interface AccountCheckboxProps {
  name: string;
  selection: FieldBinding;
  chosen: boolean;
  describedBy: string;
}

/** The checkbox that includes an account in the payment. */
function AccountCheckbox({ name, selection, chosen, describedBy }: AccountCheckboxProps) {
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
