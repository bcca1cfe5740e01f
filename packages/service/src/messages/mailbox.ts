import { domainToASCII } from 'node:url';

/**
 * One name for all spellings of an address that reach the same mailbox, for counting and erasing. Mail servers get the
 * domain in ASCII, and most ignore the case of the rest and what follows a plus sign.
 *
 * @example mailboxOf('Ada+1@Bücher.example') // 'ada@xn--bcher-kva.example'
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const name = address
    .slice(0, at)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=.)\+.*/, '');
  return `${name}@${domainToASCII(address.slice(at + 1))}`;
}
