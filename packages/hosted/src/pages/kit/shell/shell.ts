/** The page around a flow: reads the session, reports to the SDK, and ends the flow when the session ends. */
import type { NextFlow } from '@embedded-sessions/loader';
import { inert } from '@shared/inert.js';
import { MAX_BUSINESS_NAME } from '@shared/limits.js';
import type { PageSession } from '@shared/page.js';
import { STATE_MS, type FlowState } from '../../../messages.js';
import { isolate } from '../format/locale.js';
import { openingResult, type Api, type ApiResult, type Refusal } from './api.js';
import { unsettledAttempt } from './attempt.js';
import type { BlockedFrame, Frame } from './frame.js';
import type { Late } from './late.js';
import type { createApi } from './send.js';

export type Problem =
  | { kind: 'expired' | 'canceled'; returnUrl?: string | undefined }
  | { kind: 'unauthorized' | 'unreachable' }
  | BlockedFrame;

/** `opened`: when the session was read, on the `performance` clock. */
interface Open {
  kind: 'open';
  session: PageSession;
  opened: number;
}

type Phase = { kind: 'opening' } | Open | { kind: 'stopped'; problem: Problem };

/** What the shell needs of the part that loads later. */
interface ShellPart {
  createApi: typeof createApi;
  problemText: (problem: Problem, business: string) => { title: string };
  factsOf: (state: FlowState) => { words?: string; attempt?: string | undefined };
  /** Returns a function that stops watching. */
  watchExpiry: (shell: Shell, open: Open) => () => void;
}

/** The outcome of a payment is shown even after its session expires. */
const PAYMENT_OUTCOMES = /^(Succeeded|Processing|Failed)$/;

export const hasPaymentOutcome = ({ status }: PageSession): boolean => PAYMENT_OUTCOMES.test(status);

export class Shell {
  phase: Phase = { kind: 'opening' };
  /** The flow's last report. Null until the session is read, because a payment may be in flight. */
  reported: FlowState | null = null;
  /** A change got no response, and none has succeeded since, so closing must not be `canceled`. */
  isUnsure = false;
  /** The payer is being asked whether to leave. */
  isAsking = false;
  /** Called after each change. */
  onChange = (): void => {};
  readonly frame: Frame;
  readonly #late: Late<ShellPart>;
  readonly #secret: string;
  /** Ids of the fields that the payer has typed in. A form that is shown again has new elements. */
  readonly #typed = new Set<string>();
  /** The frame may be removed. */
  #isClosing = false;
  #watched: Open | undefined;
  #stopWatching: (() => void) | undefined;

  constructor(frame: Frame, late: Late<ShellPart>, secret = '') {
    this.frame = frame;
    this.#late = late;
    this.#secret = secret;
    late.onChange = frame.onChange = () => this.#changed();
    frame.onClose = () => this.#reply();
    addEventListener('input', ({ target }) => {
      const field = target as HTMLInputElement;
      if (!field.matches('[type=radio], [type=checkbox]')) this.#typed.add(field.id);
    });
    if (secret === '') this.endWith({ kind: 'unauthorized' });
    else void this.reload();
  }

  /** Any response may show that the session has ended. */
  readonly api: Api = {
    get: async (path) => this.#watch(await (await this.#plainApi()).get(path), path),
    // The second request of two never ends a flow, and neither does reading the session.
    post: async (path, body, again) =>
      this.#watch(await (await this.#plainApi()).post(path, body), again ? 'session' : path),
  };

  /** The merchant's page listens, so it can close the frame. */
  get connected(): boolean {
    return this.frame.status.kind === 'connected';
  }

  /** The business unit's name, sanitized for display. */
  get business(): string {
    const { session } = this;
    return isolate(session ? inert(session.business.name, MAX_BUSINESS_NAME) : shownName());
  }

  get session(): PageSession | undefined {
    return this.phase.kind === 'open' ? this.phase.session : undefined;
  }

  /** During `processing`, a payment or a change, the session doesn't visibly expire and the frame can't be closed. */
  report(state: FlowState): void {
    this.reported = state;
    this.#postState(state);
    this.#changed();
  }

  completed(detail: unknown): void {
    const { session } = this;
    if (session) this.frame.post({ type: 'completed', sessionId: session.id, detail });
  }

  /** `next`: the flow that the payer wants to open next. */
  close(reason: 'cancel' | 'done' | 'renew', next?: NextFlow): void {
    this.frame.post({ type: 'close-request', reason, next });
  }

  /** False if the frame is about to be removed: the result of a new action could not be reported. */
  mayStart(): boolean {
    return !this.#isClosing;
  }

  /** The payer's input has been saved, so that closing loses nothing. */
  saved(): void {
    this.#typed.clear();
  }

  /** Changes the session that the flow shows, for example after a change was stored. */
  update(change: (current: never) => PageSession): void {
    if (this.phase.kind !== 'open') return;
    // Keep `now`, the service's time when the flow was `opened`: the expiry is counted from both.
    const { now } = this.phase.session;
    const session = { ...change(this.phase.session as never), now };
    this.#become({ ...this.phase, session });
  }

  /** Reads the session again and restarts the flow. */
  async reload(): Promise<void> {
    this.reported = null;
    this.#become({ kind: 'opening' });
    const early = await openingResult<PageSession>();
    const result =
      early === null ? await this.api.get<PageSession>('session') : this.#watch(early, 'session');
    if (result.kind === 'ok') this.show(result.data);
    // Not an error, because the page can try again, and a payment may be in flight.
    else if (result.kind === 'unreachable' || endReason(result.code) === null)
      this.showProblem({ kind: 'unreachable' });
  }

  /** Starts the flow of a session and reports its state. */
  show(session: PageSession): void {
    this.reported = null;
    this.#become({ kind: 'open', session, opened: performance.now() });
    if (unsettledAttempt(session) !== undefined) this.report('processing');
    else if (!hasPaymentOutcome(session)) this.report(this.isUnsure ? 'unsure' : 'form');
    this.#reply();
  }

  /** Shows a problem that may not be the end of the flow. */
  showProblem(problem: Problem): void {
    this.reported = null;
    this.#become({ kind: 'stopped', problem });
  }

  /** Ends the flow and shows the problem. */
  endWith(problem: Problem): void {
    this.#become({ kind: 'stopped', problem });
    if (problem.kind === 'expired') return this.frame.post({ type: 'expired' });
    void this.#late.load().then(({ problemText }) => {
      this.frame.post({ type: 'error', message: problemText(problem, shownName()).title });
    });
  }

  /** The payer doesn't leave after all. */
  stay(): void {
    this.isAsking = false;
    this.report(this.reported as FlowState);
  }

  leave(): void {
    this.saved();
    this.isAsking = false;
    this.close('cancel');
    this.#changed();
  }

  /** Replies to a request to close the frame. Asks the payer first if input would be lost. */
  #reply(): void {
    const { closing: request } = this.frame;
    if (request === undefined || this.reported === null) return;

    delete this.frame.closing;
    // Too late: the SDK has stopped waiting, and the flow may continue and must be able to pay.
    if (performance.now() - request.at > STATE_MS / 2) return;

    const canAsk =
      request.by === 'payer' && /form|unsure/.test(this.reported) && this.#late.part !== undefined;
    if (canAsk && this.#hasInput()) {
      this.isAsking = true;
      this.#postState('asking', true);
      return this.#changed();
    }
    this.#postState(this.reported, true);
    this.#isClosing = this.reported !== 'processing';
  }

  #hasInput(): boolean {
    return [...this.#typed].some((id) => (document.getElementById(id) as HTMLInputElement | null)?.value);
  }

  #postState(state: FlowState, reply?: boolean): void {
    // Another tab has paid in the meantime.
    if (state === 'done') this.isAsking = false;
    this.frame.post({ type: 'state', state, ...this.#late.part?.factsOf(state), reply });
  }

  #become(phase: Phase): void {
    this.phase = phase;
    this.#changed();
  }

  #changed(): void {
    this.#watchExpiry();
    this.onChange();
  }

  /** Ends the flow when its session expires, but not while a payment or a change is in flight. */
  #watchExpiry(): void {
    const { part } = this.#late;
    const open = part && this.reported === 'form' && this.phase.kind === 'open' ? this.phase : undefined;
    if (open === this.#watched) return;

    this.#watched = open;
    this.#stopWatching?.();
    this.#stopWatching = open && part?.watchExpiry(this, open);
  }

  async #plainApi(): Promise<Api> {
    const part = await this.#late.load();
    return part.createApi(this.#secret, (session) => this.update(() => session));
  }

  /**
   * Ends the flow when a request finds that the session has ended. Not when it is read during a payment: if that is
   * refused, the outcome of the payment is still unknown.
   */
  #watch<T>(result: ApiResult<T>, path: string): ApiResult<T> {
    const counts = this.reported !== 'processing' || !/^(attempts|session)/.test(path);
    const kind = counts && result.kind === 'refused' ? endReason(result.code) : null;
    if (kind !== null)
      this.endWith({
        kind,
        returnUrl: (result as { errors: { returnUrl?: string }[] }).errors[0]?.returnUrl,
      });
    return result;
  }
}

/** How the session ended according to a refusal, or null if it continues. */
function endReason(code: Refusal): 'expired' | 'canceled' | 'unauthorized' | null {
  return code === 'expired' || code === 'canceled' || code === 'unauthorized' ? code : null;
}

/** The business's name from the HTML, used until the session has loaded. */
function shownName(): string {
  return document.querySelector('.brand-name')?.textContent ?? '';
}

let open: Shell;

/** Each page has one shell. */
export function setShell(shell: Shell): void {
  open = shell;
}

export function useShell(): Shell {
  return open;
}
