/** Shows the total, then each charge with its account. If there are several accounts, the payer can leave some out. */
import type { ComponentChildren } from 'preact';
import type { PageCharge, PaymentPageSession } from '@shared/page.js';
import { AccountDetails, nameParts } from '../../kit/design/account.js';
import { Button } from '../../kit/design/button.js';
import { ProblemLine, TextField } from '../../kit/design/field.js';
import type { Form } from '../../kit/design/form.js';
import { Icon } from '../../kit/design/icons.js';
import { webUrl } from '../../kit/design/web-url.js';
import { inert } from '@shared/inert.js';
import { isolate } from '../../kit/format/isolate.js';
import { amountText, money, parseAmount } from '../../kit/format/money.js';
import { useShell } from '../../kit/shell/shell.js';
import { pay, t } from '../../kit/text/index.js';
import { labelOf } from './fields.js';
import { amountField, byAccount, chosenField, isChosen, isFirstOfAccount, maxAmountOf } from './charges.js';
import type { Late } from './late.js';

interface SummaryProps {
  session: PaymentPageSession;
  form: Form;
  /** Cents, or null if an amount is invalid. */
  total: number | null;
  disabled: boolean;
  late: Late | undefined;
}

/** More accounts than this are collapsed, and chosen or left out together. */
const MANY = 4;

/** This many lines are expanded on a small screen too. */
const FEW = 3;

export function Summary({ session, form, total, disabled, late }: SummaryProps) {
  const { business, framed } = useShell();
  const returnUrl = webUrl(session.returnUrl);
  const selectable = session.charges.some((charge) => charge.selectable);
  const only = session.charges.length === 1;
  const rows = fieldRows(session);
  const reference = referenceRows(session);
  const chooses = selectable || session.charges.some((charge) => charge.adjustable);
  const chosen = session.charges.filter((charge) => isChosen(charge, form.values));
  const many = selectable && session.charges.length > MANY;
  const wide = !framed && matchMedia('(min-width: 900px)').matches;
  const shown = total === null ? '–' : money(total);
  const longest = Math.max(...session.charges.map(({ maxAmount }) => amountText(maxAmount).length));
  const list = (
    <>
      {!(only && session.charges.every(hasOnlyAmount)) && (
        <fieldset class="charges" disabled={disabled} role={selectable ? undefined : 'none'}>
          {selectable && <legend>{pay.chooseAccounts}</legend>}
          {many && <AllOrNone charges={session.charges} form={form} />}
          <ul class={`lines${only ? ' only' : ''}${many ? ' calm' : ''}`}>
            {byAccount(session.charges).map((charge) => (
              <ChargeLine
                key={charge.index}
                charge={charge}
                maxAmount={maxAmountOf(charge, session.charges, form.values)}
                form={form}
                only={only}
                size={longest}
                more={only ? reference : []}
                late={late}
              />
            ))}
          </ul>
        </fieldset>
      )}
      {(rows.length > 0 || !only) && (
        <DetailRows rows={rows}>
          {!only && (
            <div class="total">
              <dt>{pay.total}</dt>
              <dd class="money">{shown}</dd>
            </div>
          )}
        </DetailRows>
      )}
      {reference.length > 0 && !(only && session.charges[0]?.account) && (
        <details class="reference">
          <summary>{t.account.details}</summary>
          <DetailRows rows={reference} />
        </details>
      )}
    </>
  );
  return (
    <aside class="summary" aria-label={pay.summary}>
      {returnUrl !== null && (
        <a class="back" href={returnUrl} target="_top" rel="noreferrer">
          <Icon name="back" />
          {t.common.backTo(business)}
        </a>
      )}
      <h1>{pay.title(business)}</h1>
      {/* Announce changes if the payer can change the total. */}
      <p class={`amount${shown.length > 13 ? ' long' : ''}`} role={chooses ? 'status' : undefined}>
        <span class="visually-hidden">{pay.total}: </span>
        {shown}
      </p>
      {session.descriptor !== undefined && (
        <p class="descriptor">
          <bdi>{inert(session.descriptor)}</bdi>
        </p>
      )}
      {session.channel === 'POS' && session.posUser !== undefined && (
        <>
          <p class="agent">{pay.pos(isolate(inert(session.posUser, 80)))}</p>
          <p class="hint">{pay.posHint}</p>
        </>
      )}
      {!many && (chooses || session.charges.length + rows.length <= FEW) ? (
        list
      ) : (
        <details class="fold" open={wide}>
          <summary>{many ? pay.chosen(chosen.length, session.charges.length) : pay.summary}</summary>
          {list}
        </details>
      )}
    </aside>
  );
}

/** The headline already says everything about it. */
function hasOnlyAmount({ description, account, adjustable }: PageCharge): boolean {
  return description === undefined && account === undefined && !adjustable;
}

type Row = readonly [label: string, value: string];

/** Fields that the merchant filled in. */
function fieldRows({ fields }: PaymentPageSession): Row[] {
  return fields.flatMap((field): Row[] =>
    field.value === undefined ? [] : [[labelOf(field), inert(field.value)]],
  );
}

function referenceRows({ clientReference }: PaymentPageSession): Row[] {
  return clientReference === undefined ? [] : [[pay.reference, inert(clientReference, 80)]];
}

function DetailRows({ rows, children }: { rows: readonly Row[]; children?: ComponentChildren }) {
  return (
    <dl class="rows">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
      {children}
    </dl>
  );
}

function AllOrNone({ charges, form }: { charges: readonly PageCharge[]; form: Form }) {
  const selectable = charges.filter((charge) => charge.selectable);
  const all = selectable.every((charge) => isChosen(charge, form.values));
  return (
    <Button
      kind="quiet"
      onPress={() => {
        for (const charge of selectable) form.field(chosenField(charge)).onValue(all ? 'no' : 'yes');
      }}
    >
      {all ? pay.selectNone : pay.selectAll}
    </Button>
  );
}

interface ChargeLineProps {
  charge: PageCharge;
  /** Cents. */
  maxAmount: number;
  form: Form;
  /** The headline shows its amount. */
  only: boolean;
  /** Width of an amount's field in characters: the same for all, so that they align. */
  size: number;
  /** Labels and values for "Details" besides the account's. */
  more: readonly Row[];
  late: Late | undefined;
}

function ChargeLine({ charge, maxAmount, form, only, size, more, late }: ChargeLineProps) {
  const { account } = charge;
  const [called = pay.charge] = account ? nameParts(account) : [];
  const name = charge.description === undefined ? called : inert(charge.description);
  const chosen = isChosen(charge, form.values);
  const selection = form.field(chosenField(charge));
  const amount = form.field(amountField(charge));
  const picks = charge.selectable && isFirstOfAccount(charge);
  const accountId = `${amount.id}-account`;
  const amountId = charge.adjustable && chosen ? `${amount.id}-hint` : `${amount.id}-shown`;
  // Accounts with the same name are distinguished by number.
  const describedBy = [account && accountId, amountId, selection.problem && `${selection.id}-problem`]
    .filter(Boolean)
    .join(' ');
  return (
    <li class={chosen ? '' : 'left-out'}>
      <div class="line">
        {picks ? (
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
        ) : (
          <span class="line-name">
            <bdi>{name}</bdi>
          </span>
        )}
        {(charge.adjustable ? !chosen : !only) && (
          <span class="money" id={amountId}>
            {money(charge.amount)}
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
            hint={pay.upTo(money(maxAmount))}
            prefix="$"
            size={size}
            inputMode="decimal"
            autoComplete="off"
          />
        )}
      </div>
      {picks && <ProblemLine id={selection.id} problem={selection.problem} />}
      {account !== undefined && (
        <AccountDetails
          id={accountId}
          account={account}
          named={charge.description === undefined}
          more={more}
          Rows={late?.AccountRows}
        />
      )}
    </li>
  );
}
