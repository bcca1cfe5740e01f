/**
 * The form of an argument that an error may quote: a path, package or host, but nothing that could be a key or an
 * address with a password, because errors end up in logs.
 *
 * @param otherwise stands for the others
 */
export function shown(argument: string, otherwise: string): string {
  return isHarmless(argument) ? argument : otherwise;
}

/** The cause's message without the argument, which Node repeats. */
export function reasonOf(cause: unknown, argument: string): string {
  const { message, code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return isHarmless(argument) ? message : code;
}

const KEY = /(?:stg|prd|dev|whsec)_|[A-Za-z\d]{30}/;

/** Colons only after a drive letter, or in an IPv6 address. */
function isHarmless(argument: string): boolean {
  return /^(?:[A-Za-z]:)?[^:@=?&;]*$|^[\da-f:.]+$/i.test(argument) && !KEY.test(argument);
}
