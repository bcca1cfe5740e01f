/** Shown after a payment: the result, the receipt and the next step. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { NextFlow } from '@embedded-sessions/loader';
import type { PaymentPageSession, Receipt, ReceiptFacts } from '@shared/page.js';
import { AccountName, Parts } from '../../kit/design/account.js';
import { Button } from '../../kit/design/button.js';
import { Icon } from '../../kit/design/icons.js';
import { LinkButton } from '../../kit/design/link-button.js';
import { Row } from '../../kit/design/detail-rows.js';
import { webUrl } from '../../kit/design/web-url.js';
import { instant } from '../../kit/format/instant.js';
import { inert } from '@shared/inert.js';
import { isolate } from '../../kit/format/locale.js';
import { money } from '../../kit/format/money.js';
import { backUrl } from '../../kit/shell/next-step.js';
import { StatementHeading } from '../../kit/shell/problem.js';
import { useShell } from '../../kit/shell/shell.js';
import { methodName } from '../../kit/source/saved-method.js';
import { hasTexts } from './charges.js';
import { labelOf } from './fields.js';
import { EmailReceipt } from './email-receipt.js';
import { after, pay, rest, t } from '../../kit/text/index.js';

interface ReceiptViewProps {
  session: PaymentPageSession;
  receipt: Receipt;
  methodSaved: boolean;
}

export function ReceiptView({ session, receipt, methodSaved }: ReceiptViewProps) {
  const { business } = useShell();
  const succeeded = receipt.status === 'succeeded';
  const amount = money(receipt.amount);
  return (
    <section class="statement receipt-page success">
      <span class="statement-icon">
        <Icon name={succeeded ? 'check' : 'clock'} />
      </span>
      <StatementHeading text={succeeded ? after.complete : after.submitted} />
      <p class="amount" style={{ '--length': amount.length }}>
        {amount}
      </p>
      <p>{succeeded ? after.completeBody(business) : after.submittedBody(business)}</p>
      <div class="receipt">
        <h2>{after.receipt}</h2>
        <Lines charges={receipt.charges} />
        <dl class="rows">
          <Row label={succeeded ? after.amountPaid : after.amountSubmitted} kind="total">
            <span class="money">{amount}</span>
          </Row>
          {receipt.refunds?.map((refund) => (
            <Row key={refund.at} label={after.refunded}>
              <Parts of={[money(refund.amount), instant(refund.at)]} />
            </Row>
          ))}
          {facts(session, receipt).map(([label, value]) => (
            <Row key={label} label={label}>
              {value}
            </Row>
          ))}
          <Row label={after.receiptNumber}>
            <Value of={receipt.number} />
          </Row>
        </dl>
      </div>
      {session.emailsReceipts === true && <EmailReceipt attemptId={receipt.attemptId} />}
      {methodSaved && <p class="quiet">{after.methodSaved}</p>}
      <Actions session={session} />
    </section>
  );
}

/** Says which payment the bank returned. */
export function ReturnedPayment({ payment }: { payment: ReceiptFacts }) {
  return (
    <div class="receipt">
      <dl class="rows">
        <Row label={after.amountSubmitted} kind="total">
          <span class="money">{money(payment.amount)}</span>
        </Row>
        <Row label={after.paidWith}>{methodName(payment)}</Row>
        <Row label={after.submittedOn}>{instant(payment.paidAt)}</Row>
        <Row label={after.receiptNumber}>
          <Value of={payment.number} />
        </Row>
      </dl>
    </div>
  );
}

/** What the payer can do next. */
function Actions({ session }: { session: PaymentPageSession }) {
  const shell = useShell();
  const [done, setDone] = useState(false);
  const closingText = useRef<HTMLParagraphElement>(null);
  // The focused button was removed.
  useEffect(() => closingText.current?.focus(), [done]);

  const finish = (next?: NextFlow): void => {
    setDone(true);
    shell.close('done', next);
  };
  const successUrl = webUrl(session.successUrl);
  const returnUrl = backUrl(session.returnUrl, shell.connected);
  const redirects = successUrl !== null || returnUrl !== null;
  // If no page can close the flow, the redirect links replace Done.
  const closes = shell.connected || !redirects;
  const offers = session.channel === 'QuickPay' ? NEXT_FLOWS.filter(mayOpen) : [];
  return (
    <div class="actions">
      {successUrl !== null && <LinkButton href={successUrl}>{after.continue}</LinkButton>}
      {closes && done && (
        <p ref={closingText} tabIndex={-1}>
          {rest.common.youMayClose}
        </p>
      )}
      {closes && !done && (
        <Button kind={successUrl === null ? 'primary' : 'secondary'} onPress={() => finish()}>
          {rest.common.done}
        </Button>
      )}
      {offers.length > 0 && !done && (
        <div class="offers">
          {offers.map((next) => (
            <Button key={next} kind="secondary" onPress={() => finish(next)}>
              {after.next[next]}
            </Button>
          ))}
        </div>
      )}
      {returnUrl !== null && (
        <LinkButton href={returnUrl} kind={successUrl === null && !closes ? 'primary' : 'secondary'}>
          <Icon name="back" />
          {t.common.backTo(shell.business)}
        </LinkButton>
      )}
      <Button kind="quiet" onPress={() => print()}>
        {after.print}
      </Button>
    </div>
  );
}

const NEXT_FLOWS: readonly NextFlow[] = ['autopay', 'paperless'];

/** Whether the merchant's page can open this flow. */
function mayOpen(flow: string): boolean {
  return (new URLSearchParams(location.search).get('next') ?? '').split(',').includes(flow);
}

/** Lists the charges, unless the total says it all. Shows account numbers if there are several charges. */
function Lines({ charges }: Pick<Receipt, 'charges'>) {
  if (charges.length === 1 && !charges.some(hasTexts)) return null;
  return (
    <ul class="lines">
      {charges.map(({ index, amount, description, account }) => (
        <li key={index}>
          <div>
            {description !== undefined && (
              <p>
                <bdi>{inert(description)}</bdi>
              </p>
            )}
            {account !== undefined && charges.length > 1 && (
              <p class={description === undefined ? '' : 'quiet'}>
                <AccountName account={account} />
              </p>
            )}
            {description === undefined && account === undefined && pay.charge}
          </div>
          <span class="money">{money(amount)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Customer, merchant, method, date, and the merchant's own fields. */
function facts({ customer, posUser, clientReference, fields }: PaymentPageSession, receipt: Receipt) {
  const [first] = receipt.charges;
  const paidBy = [receipt.holder, customer?.emailAddress ?? '']
    .filter((part) => part !== '')
    .map((part) => inert(part, 200));
  const rows: [string, ComponentChildren][] = [
    [
      after.account,
      receipt.charges.length === 1 && first?.account && <AccountName account={first.account} />,
    ],
    [after.paidBy, paidBy[0] && <Parts of={paidBy} />],
    [after.paidWith, methodName(receipt)],
    [receipt.status === 'succeeded' ? after.paidOn : after.submittedOn, instant(receipt.paidAt)],
    [after.takenBy, posUser && isolate(inert(posUser, 200))],
    ...fields.map((field): [string, ComponentChildren] => [
      labelOf(field),
      field.value && <Value of={field.value} />,
    ]),
    [pay.reference, clientReference && <Value of={clientReference} />],
  ];
  return rows.filter(([, value]) => value);
}

/** Values up to this length fit on a line next to their label on a small phone. */
const SHORT = 14;

/** A merchant's value. Short ones, such as an invoice number, stay whole. */
function Value({ of }: { of: string }) {
  return <bdi class={of.length > SHORT ? '' : 'code'}>{inert(of, 200)}</bdi>;
}
