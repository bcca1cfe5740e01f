import { describeError, type Log } from '../platform/log/log.js';

/** Call it before the first `await`, because SIGHUP ends the process by default. */
export function reloadOnHangup(log: Log, reload: () => Promise<void>): void {
  const logged = (): Promise<void> =>
    reload().then(
      () => log.info('Config reloaded'),
      (error: unknown) =>
        log.error('Config refused; keeping the previous one', { error: describeError(error) }),
    );
  let last = Promise.resolve();
  process.on('SIGHUP', () => void (last = last.then(logged)));
}
