/**
 * Returns the argument if an error may quote it, else the fallback. Errors end up in logs, so they may quote
 * paths, packages and hosts, but nothing that could be a key or an address with a password.
 */
export function quotable(argument: string, fallback: string): string {
  return isHarmless(argument) ? argument : fallback;
}

/** The cause's message, or only its code if Node's message would repeat a secret argument. */
export function reasonOf(cause: unknown, argument: string): string {
  const { message, code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return isHarmless(argument) ? message : code;
}

const KEY = /(?:stg|prd|dev|whsec)_|[A-Za-z\d]{30}/;

/** Allows colons only after a drive letter or in an IPv6 address. */
function isHarmless(argument: string): boolean {
  return /^(?:[A-Za-z]:)?[^:@=?&;]*$|^[\da-f:.]+$/i.test(argument) && !KEY.test(argument);
}
