import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi, type Mock } from 'vitest';
import { guarded, isLoaderError, LoaderError, untilAborted, type LoaderErrorCode } from './error.js';

/** Every code, and whether the same call may succeed later unchanged. */
const CODES: Record<LoaderErrorCode, boolean> = {
  invalid_options: false,
  options_conflict: false,
  environment_mismatch: false,
  unknown_session_url: false,
  csp_blocked: false,
  offline: true,
  network_error: true,
  timeout: true,
  service_missing: false,
  aborted: false,
  not_in_browser: false,
  flow_in_progress: false,
  flow_failed: false,
  session_failed: false,
};

it.each(Object.entries(CODES) as [LoaderErrorCode, boolean][])(
  'R-61 %s: retryable is %s, and the message says what to do and links to the docs',
  (code, retryable) => {
    const cause = new Error('why');
    const error = new LoaderError(code, 'Do this.', { found: 1 }, cause);
    expect(error).toMatchObject({ name: 'LoaderError', code, retryable, details: { found: 1 }, cause });
    expect(error.message).toMatch(/^Do this\. https:\/\/.*\/docs\/errors\/loader\.md#\w+$/);
    expect(error.message.endsWith(`#${code}`)).toBe(true);
    expect(new LoaderError(code, error.message).message).toBe(error.message);
    expect(Object.hasOwn(new LoaderError(code, 'Do this.'), 'cause')).toBe(false);
    expect(new LoaderError(code, 'Do this.').details).toEqual({});
  },
);

it('R-61 has its name and code on a page that has frozen Error.prototype', () => {
  const { prototype } = Error;
  Object.defineProperty(prototype, 'name', { writable: false });
  onTestFinished(() => void Object.defineProperty(prototype, 'name', { writable: true }));
  expect(new LoaderError('timeout', 'Late.')).toMatchObject({ name: 'LoaderError', code: 'timeout' });
});

it('isLoaderError recognizes errors of another copy of the package, and nothing else', () => {
  const other = { [Symbol.for('embedded-sessions.error')]: true };
  expect([new LoaderError('timeout', 'Late.'), other].map(isLoaderError)).toEqual([true, true]);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const thrown of [undefined, null, 'timeout', new Error('timeout'), { code: 'timeout' }, proxy])
    expect(isLoaderError(thrown)).toBe(false);
});

describe('an unhandled rejection', () => {
  let consoleError: Mock;
  const refuse = (code: LoaderErrorCode) =>
    guarded(async () => {
      throw new LoaderError(code, 'Do this.');
    });
  beforeEach(() => {
    vi.useFakeTimers();
    consoleError = vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('is logged to the console with advice', async () => {
    void refuse('timeout');
    await vi.runAllTimersAsync();
    expect(consoleError.mock.calls).toEqual([
      [expect.stringMatching(/^embedded-sessions: Do this\. https:/)],
    ]);
  });

  it('is not logged if it was handled or aborted, or on a server', async () => {
    await expect(refuse('timeout')).rejects.toMatchObject({ code: 'timeout' });
    void refuse('aborted');
    await vi.runAllTimersAsync();
    vi.stubGlobal('document', undefined);
    void refuse('not_in_browser');
    await vi.runAllTimersAsync();
    expect(consoleError).not.toHaveBeenCalled();
  });
});

describe('work with a signal', () => {
  const never = new Promise<never>(() => {});

  it('is given up when the signal is aborted, even before it began', async () => {
    const abort = new AbortController();
    const waiting = untilAborted(never, abort.signal);
    abort.abort('why');
    await expect(waiting).rejects.toMatchObject({ code: 'aborted', cause: 'why' });
    await expect(untilAborted(never, abort.signal)).rejects.toMatchObject({ code: 'aborted' });
  });

  it('settles as usual otherwise, and leaves no listener', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    expect(await untilAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(untilAborted(Promise.reject(new Error('no')), undefined)).rejects.toThrow('no');
    await vi.waitFor(() => expect(removed.mock.calls).toEqual(added.mock.calls));
    expect(added).toHaveBeenCalledOnce();
  });
});
