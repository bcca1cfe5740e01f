/** Shows the total, then each charge with its account. If there are several accounts, the payer can exclude some. */
import type { PageCharge, PaymentPageSession } from '@shared/page.js';
import { Button } from '../../kit/design/button.js';
import type { Form } from '../../kit/design/form.js';
import { Icon } from '../../kit/design/icons.js';
import { DetailRows, Row, type DetailRow } from '../../kit/design/detail-rows.js';
import { webUrl } from '../../kit/design/web-url.js';
import { inert } from '@shared/inert.js';
import { isolate } from '../../kit/format/locale.js';
import { amountText } from '../../kit/format/money.js';
import { useShell } from '../../kit/shell/shell.js';
import { pay, t } from '../../kit/text/index.js';
import { labelOf } from './fields.js';
import { ChargeLine } from './charge-line.js';
import { byAccount, chosenField, hasTexts, isChosen, maxAmountOf, type Total } from './charges.js';

interface SummaryProps {
  session: PaymentPageSession;
  form: Form;
  total: Total;
}

/** Whether the accounts are collapsed and can be selected all at once. */
function areMany(charges: readonly PageCharge[]): boolean {
  return charges.length > 4 && charges.some((charge) => charge.selectable);
}

/** Up to this many lines are expanded on small screens too. */
const EXPAND_UP_TO = 3;

export function Summary({ session, form, total }: SummaryProps) {
  const { charges } = session;
  const changeable = charges.some(({ selectable, adjustable }) => selectable || adjustable);
  const many = areMany(charges);
  const fields = fieldRows(session);

  const breakdown = <Breakdown session={session} form={form} fields={fields} total={total} />;
  const isShort = !many && (changeable || charges.length + fields.length <= EXPAND_UP_TO);
  const chosen = charges.filter((charge) => isChosen(charge, form.values));
  return (
    <aside class={`summary${total.isPayable ? '' : ' unpayable'}`} aria-label={pay.summary}>
      <Headline session={session} total={total} changeable={changeable} />
      {isShort ? (
        breakdown
      ) : (
        <details class="fold" open={window.parent === window && matchMedia('(min-width: 900px)').matches}>
          <summary>{many ? pay.chosen(chosen.length, charges.length) : pay.summary}</summary>
          {breakdown}
        </details>
      )}
    </aside>
  );
}

interface HeadlineProps {
  session: PaymentPageSession;
  total: Total;
  /** The payer can change the total, so changes are announced. */
  changeable: boolean;
}

function Headline({ session, total, changeable }: HeadlineProps) {
  const { business } = useShell();
  const { descriptor, channel, posUser } = session;
  const returnUrl = webUrl(session.returnUrl);
  return (
    <>
      {returnUrl !== null && (
        <a class="back" href={returnUrl} target="_top" rel="noreferrer">
          <Icon name="back" />
          {t.common.backTo(business)}
        </a>
      )}
      <h1>{pay.title(business)}</h1>
      <p class="amount" role={changeable ? 'status' : undefined} style={{ '--length': total.text.length }}>
        <span class="visually-hidden">{pay.total}: </span>
        {total.text}
      </p>
      {descriptor !== undefined && (
        <p class="descriptor">
          <bdi>{inert(descriptor)}</bdi>
        </p>
      )}
      {channel === 'POS' && posUser !== undefined && (
        <>
          <p class="descriptor">{pay.pos(isolate(inert(posUser, 80)))}</p>
          <p class="hint">{pay.posHint}</p>
        </>
      )}
    </>
  );
}

interface BreakdownProps extends SummaryProps {
  /** What the merchant filled in. */
  fields: readonly DetailRow[];
}

/** The charges, the merchant's fields and the reference. */
function Breakdown({ session, form, fields, total }: BreakdownProps) {
  const { charges } = session;
  const only = charges.length === 1;
  const reference = referenceRows(session);
  return (
    <>
      {!(only && charges.every(hasOnlyAmount)) && (
        <Charges charges={charges} form={form} more={only ? reference : []} />
      )}
      {(fields.length > 0 || !only) && (
        <DetailRows rows={fields}>
          {!only && (
            <Row label={pay.total} kind="total">
              <span class="money">{total.text}</span>
            </Row>
          )}
        </DetailRows>
      )}
      {reference.length > 0 && !(only && charges[0]?.account) && (
        <details class="reference">
          <summary>{t.account.details}</summary>
          <DetailRows rows={reference} />
        </details>
      )}
    </>
  );
}

interface ChargesProps extends Pick<SummaryProps, 'form'> {
  charges: readonly PageCharge[];
  /** Additional rows under "Details". */
  more: readonly DetailRow[];
}

function Charges({ charges, form, more }: ChargesProps) {
  const selectable = charges.some((charge) => charge.selectable);
  const many = areMany(charges);
  const only = charges.length === 1;
  const longest = Math.max(...charges.map(({ maxAmount }) => amountText(maxAmount).length));
  return (
    <fieldset class="charges" role={selectable ? undefined : 'none'}>
      {selectable && <legend class={many ? 'visually-hidden' : ''}>{pay.chooseAccounts}</legend>}
      {many && <AllOrNone charges={charges} form={form} />}
      <ul class={`lines${only ? ' only' : ''}${many ? ' calm' : ''}${longest < 10 ? ' columns' : ''}`}>
        {byAccount(charges).map((charge) => (
          <ChargeLine
            key={charge.index}
            charge={charge}
            maxAmount={maxAmountOf(charge, charges, form.values)}
            form={form}
            only={only}
            size={longest}
            more={more}
          />
        ))}
      </ul>
    </fieldset>
  );
}

/** Whether the headline already shows all of the charge. */
function hasOnlyAmount(charge: PageCharge): boolean {
  return !hasTexts(charge) && charge.account === undefined && !charge.adjustable;
}

/** Fields that the merchant filled in. */
function fieldRows({ fields }: PaymentPageSession): DetailRow[] {
  return fields.flatMap((field): DetailRow[] =>
    field.value === undefined ? [] : [[labelOf(field), inert(field.value)]],
  );
}

function referenceRows({ clientReference }: PaymentPageSession): DetailRow[] {
  return clientReference === undefined ? [] : [[pay.reference, inert(clientReference, 80)]];
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
