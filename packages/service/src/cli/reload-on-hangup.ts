import { describeError, type Log } from '../platform/log/log.js';

/** To be called before anything is waited for: by default the signal ends the process. */
export function reloadOnHangup(log: Log, reload: () => Promise<void>): void {
  const logged = (): Promise<void> =>
    reload().then(
      () => log.info('The config was read again and is in force'),
      (error: unknown) =>
        log.error('The config was refused, the one before stays in force', { error: describeError(error) }),
    );
  let last = Promise.resolve();
  process.on('SIGHUP', () => void (last = last.then(logged)));
}
