/** Handles everything that stops a flow. The first form doesn't need this part of the page. */
import { render } from 'preact';
import type { PageSession } from '@shared/page.js';
import type { FlowState } from '../../../messages.js';
import { Icon } from '../design/icons.js';
import { webUrl } from '../design/web-url.js';
import { pay, rest, t } from '../text/index.js';
import type { BlockedFrame } from './frame.js';
import { Leaving } from './leaving.js';
import { Legal } from './legal.js';
import { mayRenew, NextStep } from './next-step.js';
import { problemText, Statement } from './problem.js';
import { createApi } from './send.js';
import { rememberedAttempt } from './attempt.js';
import { hasPaymentOutcome, useShell, type Problem, type Shell } from './shell.js';

const WARN_MS = 5 * 60_000;

/** Delay before retrying an unreachable service. */
const RETRY_MS = 5_000;

/**
 * Warns when little time is left, and ends the flow when the session expires. Uses the service's `now`, so a wrong clock on
 * the payer's device doesn't matter. Returns a function that stops this.
 */
function watchExpiry(
  shell: Shell,
  { session, opened }: { session: PageSession; opened: number },
): () => void {
  const end = opened + Date.parse(session.expiresAt) - Date.parse(session.now);
  let timer: ReturnType<typeof setTimeout>;
  const tick = (): void => {
    if (hasPaymentOutcome(session)) return;
    const remaining = end - performance.now();
    if (remaining <= 0) {
      if (shell.reported === 'form') void confirmEnd(shell, session);
      return;
    }

    showTime(remaining <= WARN_MS ? Math.ceil(remaining / 60_000) : null);
    const next = remaining > WARN_MS ? remaining - WARN_MS : remaining % 60_000 || 60_000;
    timer = setTimeout(tick, next + 50);
  };
  tick();
  return () => {
    clearTimeout(timer);
    showTime(null);
  };
}

/**
 * Shows the remaining time in the header, which stays in view in a dialog. The element exists before its text, because some
 * screen readers don't announce a live region that is added with its text.
 */
function showTime(minutes: number | null): void {
  const line = document.querySelector<HTMLElement>('.brand-flow');
  if (line === null) return;

  line.className = minutes === null ? 'brand-flow' : 'brand-flow notice warning';
  render(
    minutes !== null && (
      <>
        <Icon name="clock" />
        <span>{rest.common.endsSoon(minutes)}</span>
      </>
    ),
    line,
  );
}

/** Reads an expired session again: it may have been paid elsewhere. */
async function confirmEnd(shell: Shell, session: PageSession): Promise<void> {
  const returnUrl = session.flow === 'payment' ? session.returnUrl : undefined;
  const problem: Problem = { kind: 'expired', returnUrl };
  let result = await shell.api.get<PageSession>('session');
  while (result.kind === 'unreachable') {
    // The page can't show a result yet.
    shell.showProblem(problem);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    result = await shell.api.get('session');
  }
  if (result.kind !== 'ok') return;

  // The outcome of a payment is shown even after the session expired.
  if (hasPaymentOutcome(result.data)) shell.show(result.data);
  else shell.endWith(problem);
}

/** Explains why the flow can't continue, and what the payer can do next. */
function Stopped({ problem }: { problem: Problem }) {
  const shell = useShell();
  const again = problem.kind === 'unreachable';
  const renews = problem.kind === 'expired' && mayRenew();
  const { body, ...text } = problemText(problem, shell.business);
  return (
    <>
      {/* Omits the text that sends the payer back to the merchant, because the button does. */}
      <Statement {...text} body={renews ? undefined : body}>
        {/* Not in other flows, because AutoPay may have charged the payer. */}
        {problem.kind === 'canceled' && isPayment() && <p>{pay.notCharged}</p>}
        <NextStep
          returnUrl={'returnUrl' in problem ? problem.returnUrl : undefined}
          first={
            again
              ? [rest.common.tryAgain, () => void shell.reload()]
              : renews && [rest.common.startAgain, () => shell.close('renew')]
          }
        />
      </Statement>
      <Legal />
    </>
  );
}

/** Replaces a flow that the merchant's page may not show. */
function Blocked({ problem, session }: { problem: BlockedFrame; session: PageSession }) {
  const { business } = useShell();
  const returnUrl = session.flow === 'payment' && webUrl(session.returnUrl);
  return (
    <Statement {...problemText(problem, business)}>
      {returnUrl && <NextStep returnUrl={returnUrl} />}
    </Statement>
  );
}

/** What the SDK needs to know of a payment or a change in flight. */
const factsOf = (state: FlowState): { words?: string; attempt?: string | undefined } =>
  state === 'processing'
    ? { words: isPayment() ? rest.common.held : t.common.working, attempt: rememberedAttempt() }
    : {};

const isPayment = (): boolean => document.documentElement.dataset['flow'] === 'payment';

export const shellRest = {
  createApi,
  problemText,
  factsOf,
  watchExpiry,
  Stopped,
  Blocked,
  Leaving,
};
export type ShellRest = typeof shellRest;
