/** What is to be paid: the total, then each charge with its account; accounts can be left out where several are. */
import type { PageCharge, PaymentPageSession } from '../../../../shared/page.js';
import { AccountDetails } from '../../kit/design/account.js';
import { ProblemLine, TextField } from '../../kit/design/field.js';
import type { Form } from '../../kit/design/form.js';
import { Icon } from '../../kit/design/icons.js';
import { webUrl } from '../../kit/design/web-url.js';
import { inert } from '../../../../shared/inert.js';
import { amountText, money, parseAmount } from '../../kit/format/money.js';
import { useShell } from '../../kit/shell/shell.js';
import { pay, t } from '../../kit/text/index.js';
import { amountField, chosenField, isChosen } from './charges.js';

interface SummaryProps {
  session: PaymentPageSession;
  form: Form;
  total: number;
  disabled: boolean;
}

export function Summary({ session, form, total, disabled }: SummaryProps) {
  const { business } = useShell();
  const returnUrl = webUrl(session.returnUrl);
  const selectable = session.charges.some((charge) => charge.selectable);
  const given = session.fields.filter(({ value }) => value !== undefined);
  return (
    <aside class="summary" aria-label={pay.summary}>
      {returnUrl !== null && (
        <a class="back" href={returnUrl} target="_top" rel="noreferrer">
          <Icon name="back" />
          {pay.backTo(business)}
        </a>
      )}
      <h1>{pay.title(business)}</h1>
      {session.descriptor !== undefined && (
        <p class="descriptor">
          <bdi>{inert(session.descriptor)}</bdi>
        </p>
      )}
      {/* Told anew where the payer can change it. */}
      <p class={`amount${money(total).length > 13 ? ' long' : ''}`} role={selectable ? 'status' : undefined}>
        <span class="visually-hidden">{pay.total}: </span>
        {money(total)}
      </p>
      {session.channel === 'POS' && session.posUser !== undefined && (
        <>
          <p class="agent">{pay.pos(inert(session.posUser, 80))}</p>
          <p class="hint">{pay.posHint}</p>
        </>
      )}
      <fieldset class="charges" disabled={disabled} role={selectable ? undefined : 'none'}>
        {selectable && <legend>{pay.chooseAccounts}</legend>}
        <ul class="lines">
          {session.charges.map((charge) => (
            <ChargeLine key={charge.index} charge={charge} form={form} />
          ))}
        </ul>
      </fieldset>
      <dl class="rows">
        {given.map((field) => (
          <div key={field.key}>
            <dt>{inert(field.label, 80)}</dt>
            <dd>
              <bdi>{inert(field.value ?? '')}</bdi>
            </dd>
          </div>
        ))}
        {session.clientReference !== undefined && (
          <div>
            <dt>{pay.reference}</dt>
            <dd>
              <bdi>{inert(session.clientReference, 80)}</bdi>
            </dd>
          </div>
        )}
        {session.charges.length > 1 && (
          <div class="total">
            <dt>{pay.total}</dt>
            <dd class="money">{money(total)}</dd>
          </div>
        )}
      </dl>
    </aside>
  );
}

function ChargeLine({ charge, form }: { charge: PageCharge; form: Form }) {
  const { account } = charge;
  const number = account === undefined ? undefined : inert(account.accountNumber, 60);
  const name =
    charge.description === undefined
      ? number === undefined
        ? pay.charge
        : inert(account?.name ?? t.common.accountNumber(number))
      : inert(charge.description);
  const chosen = isChosen(charge, form.values);
  const selection = form.field(chosenField(charge));
  const amount = form.field(amountField(charge));
  const accountId = `${selection.id}-account`;
  const amountId = charge.adjustable && chosen ? `${amount.id}-hint` : `${selection.id}-amount`;
  // Accounts of one name are told apart by their numbers.
  const describedBy = [
    ...(account === undefined ? [] : [accountId]),
    amountId,
    ...(selection.problem === undefined ? [] : [`${selection.id}-problem`]),
  ].join(' ');
  return (
    <li class={chosen ? '' : 'left-out'}>
      <div class="line">
        {charge.selectable ? (
          <label class="pick">
            <input
              type="checkbox"
              id={selection.id}
              checked={chosen}
              aria-invalid={selection.problem !== undefined}
              aria-describedby={describedBy}
              onChange={(event) => selection.onValue(event.currentTarget.checked ? 'yes' : 'no')}
            />
            <bdi>{name}</bdi>
          </label>
        ) : (
          <bdi class="line-name">{name}</bdi>
        )}
        {(!charge.adjustable || !chosen) && (
          <span class="money" id={amountId}>
            {money(charge.adjustable ? 0 : charge.amount)}
          </span>
        )}
        {charge.adjustable && chosen && (
          <TextField
            {...amount}
            onLeave={() => {
              const cents = parseAmount(amount.value);
              if (cents !== null) amount.onValue(amountText(cents));
              amount.onLeave();
            }}
            label={pay.amountFor(name)}
            hideLabel
            about={account === undefined ? undefined : accountId}
            form="payment-form"
            hint={pay.upTo(money(charge.maxAmount))}
            prefix="$"
            size={amountText(charge.maxAmount).length}
            inputMode="decimal"
            autoComplete="off"
          />
        )}
      </div>
      <ProblemLine id={selection.id} problem={selection.problem} />
      {account !== undefined && (
        <AccountDetails id={accountId} account={account} named={charge.description === undefined} />
      )}
    </li>
  );
}
