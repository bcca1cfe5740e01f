import { originOf } from './environment.js';
import { LoaderError, type LoaderErrorCode } from './error.js';
import { notify } from './attempt.js';
import type { LoaderEvent } from './options.js';
import { registry, type Load } from './registry.js';
import { drop, inject, outcomeOf, tagOf, untilForeignTagEnds, untilGlobal } from './script.js';
import { findSdk, type Target } from './target.js';
import { pause } from './timing.js';

/** All attempts to load an SDK, with one deadline. */
export class LoadAttempts {
  readonly #target: Target;
  readonly #beganAt = Date.now();
  readonly #listeners: Load['listeners'] = new Set();
  #tag: HTMLScriptElement | undefined;
  #attempt = 0;
  #found: { sdk: object } | undefined;
  #timeout: LoaderError | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  start(): Load {
    const chain = Promise.race([this.#run(), this.#expire()]);
    chain.then(
      () => this.#emit('ready'),
      (error: LoaderError) => this.#cleanUp(error),
    );
    return { claim: this.#target.claim, chain, listeners: this.#listeners };
  }

  async #run(): Promise<{ sdk: object }> {
    // Listeners may load again, so the registry must have this load before they are called.
    await Promise.resolve();
    const { identity, timeoutMs } = this.#target;

    this.#tag = tagOf(identity);
    if (!this.#search() && this.#tag) await untilForeignTagEnds(this.#tag, timeoutMs / 4, this.#search);

    while (!this.#search()) await this.#tryOnce();
    // Undefined only after the timeout, which has rejected the chain.
    return this.#found!;
  }

  async #tryOnce(): Promise<void> {
    const { claim, options, retries } = this.#target;
    const { environment, globalName, loaderUrl } = claim;
    if (this.#tag) drop(this.#tag);
    this.#attempt++;
    this.#emit('attempt');

    this.#tag = inject(loaderUrl, environment, options);
    const failure = await outcomeOf(this.#tag);
    if (failure) {
      if (!failure.retryable || this.#attempt > retries) throw failure;
      await pause(2 ** this.#attempt * 100 * (1 + Math.random()));
      return;
    }

    await untilGlobal(this.#search);
    if (!this.#found)
      throw new LoaderError(
        'service_missing',
        `No window.${globalName} from ${originOf(loaderUrl)}: check globalName.`,
      );
  }

  /** Looks for the SDK. True if it was found or the load timed out. */
  readonly #search = (): boolean => !!(this.#timeout ?? (this.#found = findSdk(this.#target)));

  async #expire(): Promise<never> {
    const { claim, timeoutMs } = this.#target;
    await pause(timeoutMs);
    const message = `${originOf(claim.loaderUrl)} timed out (${timeoutMs} ms): try again.`;
    throw (this.#timeout = new LoaderError('timeout', message));
  }

  /** Removes everything, so that the next load starts from scratch. */
  #cleanUp({ code }: LoaderError): void {
    registry().load = undefined;
    if (this.#tag) drop(this.#tag);
    this.#emit('failed', code);
  }

  #emit(type: LoaderEvent['type'], code?: LoaderErrorCode): void {
    const event = { type, attempt: this.#attempt, ms: Date.now() - this.#beganAt, code };
    for (const listener of this.#listeners) notify(listener, event);
  }
}
