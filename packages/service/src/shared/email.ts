/** An e-mail address that a payer typed, trimmed; null if mail cannot be sent to it. */
export function readEmail(typed: unknown): string | null {
  const address = typeof typed === 'string' && typed.length <= MAX_EMAIL ? typed.trim() : '';
  return ADDRESS.test(address) ? address : null;
}

/** SMTP's limit. */
const MAX_EMAIL = 254;

/** Excludes invisible characters and those that separate addresses in a header. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}\p{N}-]{2,63}$/u;
