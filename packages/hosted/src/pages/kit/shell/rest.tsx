/** What stops a flow, and when: the part of the page around it that no first form needs. */
import type { PageSession } from '../../../../../service/src/shared/page.js';
import type { FlowState } from '../../../messages.js';
import { Button } from '../design/button.js';
import { Icon } from '../design/icons.js';
import { LinkButton } from '../design/link-button.js';
import { webUrl } from '../design/web-url.js';
import { rest, t } from '../text/index.js';
import type { Answer } from './api.js';
import type { Frame } from './frame.js';
import { problemText, Statement } from './problem.js';
import { createApi } from './send.js';
import type { Problem } from './shell.js';

const WARN_MS = 5 * 60_000;

/** Until a service that could not be reached is asked again. */
const AGAIN_MS = 5_000;

interface Time {
  session: { now: string; expiresAt: string };
  /** When it was read, on the clock of `performance`. */
  opened: number;
  /** Nothing is in flight, and nothing over. */
  isForm: () => boolean;
  onEnd: () => void;
}

/**
 * Tells when little time is left, and of its end. Counted from the service's own `now`, so that a payer's wrong clock
 * does not matter. Returns what ends it.
 */
function keepTime({ session, opened, isForm, onEnd }: Time): () => void {
  const end = opened + Date.parse(session.expiresAt) - Date.parse(session.now);
  let timer: ReturnType<typeof setTimeout>;
  const look = (): void => {
    const remaining = end - performance.now();
    if (remaining <= 0) {
      if (isForm()) onEnd();
      return;
    }
    tellTime(remaining <= WARN_MS && isForm() ? Math.ceil(remaining / 60_000) : null);
    const next = remaining > WARN_MS ? remaining - WARN_MS : remaining % 60_000 || 60_000;
    timer = setTimeout(look, next + 50);
  };
  look();
  return () => {
    clearTimeout(timer);
    tellTime(null);
  };
}

/**
 * In the line of the header that names the flow until time is short: it stays in view and moves nothing. The line is
 * there before the words, as a region that comes with them is not announced everywhere.
 */
function tellTime(minutes: number | null): void {
  const line = document.querySelector<HTMLElement>('.brand-flow');
  if (line === null) return;
  const flow = (line.dataset['flow'] ??= line.textContent ?? '');
  const words = minutes === null ? flow : rest.common.endsSoon(minutes);
  line.classList.toggle('ends-soon', minutes !== null);
  if (line.textContent !== words) line.textContent = words;
}

interface Ended<S> {
  ask: () => Promise<Answer<S>>;
  /** The service cannot be asked: no verdict is told yet. */
  onSilence: (problem: Problem) => void;
  onAnswer: (session: S, problem: Problem) => void;
}

/** A session's time is over. Only the service knows what became of it: it may have been paid from elsewhere. */
async function askEnded<S extends PageSession>(
  session: S,
  { ask, onSilence, onAnswer }: Ended<S>,
): Promise<void> {
  const returnUrl = session.flow === 'payment' ? session.returnUrl : undefined;
  const problem: Problem = { kind: 'expired', returnUrl };
  let answer = await ask();
  while (answer.kind === 'unreachable') {
    onSilence(problem);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    answer = await ask();
  }
  if (answer.kind === 'ok') onAnswer(answer.data, problem);
}

interface StoppedProps {
  problem: Problem;
  business: string;
  frame: Frame;
  onAgain: () => void;
}

/** Why there is no flow to go on with, and the ways on. */
function Stopped({ problem, business, frame, onAgain }: StoppedProps) {
  const again = problem.kind === 'unreachable' || problem.kind === 'broken';
  const back = 'returnUrl' in problem ? webUrl(problem.returnUrl) : null;
  return (
    <Statement {...problemText(problem, business)}>
      {again && <Button onPress={onAgain}>{rest.common.tryAgain}</Button>}
      {back !== null && (
        <LinkButton href={back} kind="secondary">
          <Icon name="back" />
          {t.common.backTo(business)}
        </LinkButton>
      )}
      {problem.kind === 'expired' && mayRenew() && (
        <Button onPress={() => frame.tell({ type: 'close-request', reason: 'renew' })}>
          {rest.common.startAgain}
        </Button>
      )}
      {frame.status.kind === 'connected' && !again && (
        <Button kind="secondary" onPress={() => frame.tell({ type: 'close-request', reason: 'cancel' })}>
          {rest.common.close}
        </Button>
      )}
    </Statement>
  );
}

/** The page around the frame said that it can get a new session. */
const mayRenew = (): boolean => /[?&]renew=/.test(location.search);

function Blocked({ problem, business }: { problem: Problem; business: string }) {
  return <Statement {...problemText(problem, business)} />;
}

/** Typed numbers are lost by leaving: it is asked once. */
function Asked() {
  return (
    <p class="asked" role="alert">
      {rest.common.escapeAgain}
    </p>
  );
}

/** What the page around the frame says to a payer who wishes to close it. */
const wordsOf = (state: FlowState): { words?: string } =>
  state === 'processing' ? { words: rest.common.held } : {};

export const shellRest = { createApi, problemText, wordsOf, keepTime, askEnded, Stopped, Blocked, Asked };
export type ShellRest = typeof shellRest;
