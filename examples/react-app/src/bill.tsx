import { EmbeddedFlow, useEmbeddedPayment, type PaymentResult } from '@embedded-sessions/react';
import { useRef, useState } from 'react';
import type { Place } from './app.js';
import { Usage } from './usage.js';
import {
  confirmPayments,
  createSession,
  longDay,
  money,
  messageOf,
  reveal,
  type AccountView,
  type SiteView,
} from './site.js';

interface Notice {
  kind: 'info' | 'ok' | 'bad';
  text: string;
}
/** Pays this account, or every account with a balance. */
type Scope = 'one' | 'all';

const balanceOf = (view: SiteView): number => view.accounts.reduce((sum, each) => sum + each.balance, 0);
const totalDue = (view: SiteView): number =>
  view.accounts.reduce((sum, each) => sum + Math.max(each.balance, 0), 0);

/** Delays between checks for a payment, ms. */
const CHECK_ONCE = [0];
const CHECK_THREE_TIMES = [0, 1_000, 3_000];

/** Lets the backend confirm with the service a payment that the page has reported. */
async function confirm(
  before: SiteView,
  onView: (view: SiteView) => void,
  waitsMs: readonly number[],
): Promise<Notice> {
  try {
    for (const waitMs of waitsMs) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      const next = await confirmPayments();
      onView(next);
      const paid = balanceOf(before) - balanceOf(next);
      const pending = next.accounts.reduce((sum, each) => sum + each.pending, 0);
      if (paid <= 0) continue;
      return {
        kind: 'ok',
        text:
          pending > 0
            ? `Thank you. ${money(pending)} is on its way from your bank.`
            : `Thank you. We received ${money(paid)}.`,
      };
    }
    return { kind: 'info', text: 'We have not received a payment. Check again in a moment before you pay.' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'bad', text: `We could not confirm your payment yet. ${reason}` };
  }
}

export function Bill(props: {
  account: AccountView;
  view: SiteView;
  place: Place;
  onView: (view: SiteView) => void;
}) {
  const { account, view, place, onView } = props;
  const [notice, setNotice] = useState<Notice | null>(null);
  const noticeElement = useRef<HTMLParagraphElement>(null);
  const [inline, setInline] = useState<{ scope: Scope; key: number } | null>(null);
  /** The button that opened the current flow. */
  const [opened, setOpened] = useState<Scope>('one');
  const total = totalDue(view);

  /** The page's result only triggers a query: the bill is paid once the backend has confirmed it with the service. */
  async function settle(result: PaymentResult): Promise<void> {
    if (result.status === 'failed') return setNotice({ kind: 'bad', text: messageOf(result.error) });
    if (result.status === 'canceled') return setNotice({ kind: 'info', text: 'Nothing was charged.' });
    if (result.status === 'expired')
      return setNotice({ kind: 'info', text: 'Your session has expired. Please start again.' });
    setNotice({ kind: 'info', text: 'Confirming your payment…' });
    const confirmed = await confirm(
      view,
      onView,
      result.status === 'unknown' ? CHECK_ONCE : CHECK_THREE_TIMES,
    );
    if (confirmed.kind === 'ok') {
      setInline(null);
      // The focused button disappears with the bill.
      noticeElement.current?.focus();
    }
    setNotice(confirmed);
  }

  const { pay, status } = useEmbeddedPayment({ onSettled: (result) => void settle(result) });
  const session =
    (scope: Scope) =>
    ({ signal }: { signal: AbortSignal }) =>
      createSession('payment', scope === 'one' ? account.number : null, signal);

  function open(scope: Scope): void {
    setNotice(null);
    setOpened(scope);
    if (place === 'inline') setInline((now) => ({ scope, key: (now?.key ?? 0) + 1 }));
    else {
      setInline(null);
      void pay(session(scope));
    }
  }

  const bill = account.entries.find(({ kind }) => kind === 'bill');
  const state = account.balance > 0 ? 'Due' : account.pending > 0 ? 'On its way' : 'Paid';
  return (
    <section id="bill" className="card bill" aria-labelledby="bill-title">
      <div className="stack">
        <div className="row row--apart">
          <h2 id="bill-title">{bill?.label ?? 'Your bill'}</h2>
          <span className={state === 'Paid' ? 'pill pill--ok' : 'pill'}>{state}</span>
        </div>
        <p className="amount">{money(account.balance)}</p>
        <p className="muted">
          {account.dueDate
            ? `Due ${longDay(account.dueDate)}${account.autopayDue ? ', by AutoPay' : ''} · ${account.street.replaceAll(' ', '\u00a0')}`
            : account.pending > 0
              ? `${money(account.pending)} is on its way from your bank.`
              : 'Nothing is due.'}
        </p>
        {account.balance > 0 && (
          <div className="row">
            <button
              type="button"
              className="button button--primary button--wide"
              aria-busy={status === 'preparing' && opened === 'one'}
              onClick={() => open('one')}
            >
              Pay {money(account.balance)}
            </button>
            {total > account.balance && (
              <button
                type="button"
                className="button button--wide"
                aria-busy={status === 'preparing' && opened === 'all'}
                onClick={() => open('all')}
              >
                Pay all, {money(total)}
              </button>
            )}
          </div>
        )}
        <p
          ref={noticeElement}
          tabIndex={-1}
          className={`notice notice--${notice?.kind}`}
          role={notice?.kind === 'bad' ? 'alert' : 'status'}
        >
          {notice?.text}
        </p>
      </div>
      {inline ? (
        <div className="inline-flow" ref={reveal} key={inline.key}>
          <EmbeddedFlow
            flow="payment"
            session={session(inline.scope)}
            sessionKey={`${inline.scope}-${inline.key}`}
            aria-label="Payment"
            renderError={() => null}
            onSettled={(result) => {
              if (result.status === 'failed' || result.status === 'canceled') setInline(null);
              void settle(result);
            }}
          />
        </div>
      ) : (
        <Usage usage={account.usage} until={bill?.date} />
      )}
    </section>
  );
}
