/** The texts that each part of a page loads. */
import { codeOf, moduleOf } from './compile.js';

export type CatalogPart = 'payment' | 'after' | 'manage' | 'problem';

/** Key prefixes of each catalog. */
export const CATALOGS: Readonly<Record<CatalogPart, readonly string[]>> = {
  /** The first form of the payment page. */
  payment: ['shared', 'payment', 'authorization.accountNumber', 'authorization.bankDebit'],
  /** Everything after the payment page's first form. */
  after: ['rest', 'after'],
  manage: [
    'shared',
    'rest',
    'manage',
    'authorization.accountNumber',
    'authorization.autopay',
    'authorization.scheduled',
  ],
  problem: ['shared', 'rest', 'problem'],
};

export function catalogOf(page: string): CatalogPart {
  return page === 'payment' || page === 'problem' ? page : 'manage';
}

export function isCatalogPart(name: string | undefined): name is CatalogPart {
  return name !== undefined && Object.hasOwn(CATALOGS, name);
}

/** Messages in ICU MessageFormat, and the arguments of each key. */
interface CatalogSource {
  readonly messages: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, { readonly arguments?: readonly string[] }>>;
}

export function catalogCode(
  language: string,
  part: CatalogPart,
  { messages, keys }: CatalogSource,
  change?: (words: string) => string,
): string {
  const code = Object.entries(messages)
    .filter(([key]) => CATALOGS[part].some((group) => key.startsWith(group)))
    .map(([key, message]) => [key, codeOf(language, message, keys[key]?.arguments ?? [], change)] as const);
  return moduleOf(language, code);
}
