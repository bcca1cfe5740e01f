/** Whether a `Host` names this machine by a loopback address: a page that makes a name of its own lead here does not. */
export function isLoopback(host: string | null): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes((host ?? '').replace(/:\d+$/, '').toLowerCase());
}
