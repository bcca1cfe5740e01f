/** After a payment: the verdict, the receipt, and the ways on. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PaymentPageSession, Receipt } from '../../../../shared/page.js';
import { Button, LinkButton } from '../../kit/design/button.js';
import { Icon } from '../../kit/design/icons.js';
import { webUrl } from '../../kit/design/web-url.js';
import { instant } from '../../kit/format/date.js';
import { inert } from '../../../../shared/inert.js';
import { money } from '../../kit/format/money.js';
import { beginAt } from '../../kit/shell/focus.js';
import { useShell } from '../../kit/shell/shell.js';
import { methodName } from '../../kit/source/saved-method.js';
import { pay, t } from '../../kit/text/index.js';

interface ReceiptViewProps {
  session: PaymentPageSession;
  receipt: Receipt;
  methodSaved: boolean;
}

export function ReceiptView({ session, receipt, methodSaved }: ReceiptViewProps) {
  const shell = useShell();
  const [done, setDone] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const goodbye = useRef<HTMLParagraphElement>(null);
  useEffect(() => beginAt(heading.current), []);
  // The button that had the focus is gone.
  useEffect(() => goodbye.current?.focus(), [done]);

  const succeeded = receipt.status === 'succeeded';
  const successUrl = webUrl(session.successUrl);
  const returnUrl = webUrl(session.returnUrl);
  const redirects = successUrl !== null || returnUrl !== null;
  return (
    <section class="statement receipt-page success">
      <span class="statement-icon">
        <Icon name={succeeded ? 'check' : 'clock'} />
      </span>
      <h1 ref={heading} tabIndex={-1}>
        {succeeded ? pay.complete : pay.submitted}
      </h1>
      <p>{succeeded ? pay.completeBody(shell.business) : pay.submittedBody(shell.business)}</p>
      <div class="receipt">
        <h2>{pay.receipt}</h2>
        {receipt.charges.length > 1 || receipt.charges[0]?.description !== undefined ? (
          <ul class="lines">
            {receipt.charges.map((charge) => (
              <li key={charge.index}>
                <bdi>{chargeName(charge)}</bdi>
                <span class="money">{money(charge.amount)}</span>
              </li>
            ))}
          </ul>
        ) : null}
        <dl class="rows">
          <div class="total">
            <dt>{pay.amountPaid}</dt>
            <dd class="money">{money(receipt.amount)}</dd>
          </div>
          <div>
            <dt>{pay.paidWith}</dt>
            <dd>{methodName(receipt)}</dd>
          </div>
          <div>
            <dt>{pay.paidOn}</dt>
            <dd>{instant(receipt.paidAt)}</dd>
          </div>
          {session.clientReference !== undefined && (
            <div>
              <dt>{pay.reference}</dt>
              <dd>
                <bdi>{inert(session.clientReference, 80)}</bdi>
              </dd>
            </div>
          )}
          <div>
            <dt>{pay.receiptNumber}</dt>
            <dd class="code">{session.id}</dd>
          </div>
        </dl>
      </div>
      {methodSaved && <p class="quiet">{pay.methodSaved}</p>}
      <div class="actions">
        {successUrl !== null && <LinkButton href={successUrl}>{pay.continueTo(shell.business)}</LinkButton>}
        {returnUrl !== null && (
          <LinkButton href={returnUrl} kind="secondary">
            {pay.returnTo(shell.business)}
          </LinkButton>
        )}
        {/* A redirect that was opened at the top has its own ways on. */}
        {(shell.framed || !redirects) &&
          (done ? (
            <p ref={goodbye} tabIndex={-1}>
              {t.common.youMayClose}
            </p>
          ) : (
            <Button
              kind={redirects ? 'secondary' : 'primary'}
              onPress={() => {
                setDone(true);
                shell.close('done');
              }}
            >
              {t.common.done}
            </Button>
          ))}
      </div>
    </section>
  );
}

function chargeName(charge: Receipt['charges'][number]): string {
  if (charge.description !== undefined) return inert(charge.description);
  return charge.accountNumber === undefined
    ? pay.charge
    : t.common.accountNumber(inert(charge.accountNumber, 60));
}
