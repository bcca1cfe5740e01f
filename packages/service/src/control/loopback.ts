/** Whether a `Host` is a loopback name or address. False for any other name that resolves here (DNS rebinding). */
export function isLoopback(host: string | null): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes((host ?? '').replace(/:\d+$/, '').toLowerCase());
}
