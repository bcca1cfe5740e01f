import { parseAccept } from 'hono/utils/accept';

/** Encodings of files and pages, smallest first. */
const ENCODINGS = ['br', 'gzip'] as const;

export type Encoding = (typeof ENCODINGS)[number] | 'identity';

/** Longer than the headers of any client. */
const MAX_HEADER = 1_000;

/** What an `Accept-…` header allows, most wanted first, in lower case. */
export function acceptedIn(header = ''): string[] {
  return parseAccept(header.slice(0, MAX_HEADER))
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.toLowerCase());
}

/** Chooses the smallest encoding that `Accept-Encoding` allows. */
export function chooseEncoding(acceptEncoding?: string): Encoding {
  const accepted = acceptedIn(acceptEncoding);
  return ENCODINGS.find((encoding) => accepted.includes(encoding)) ?? 'identity';
}
