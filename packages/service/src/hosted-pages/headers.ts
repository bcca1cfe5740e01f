/** Reads and writes headers of the hosted pages. */
import { createHash } from 'node:crypto';
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

export function chooseEncoding(acceptEncoding?: string): Encoding {
  const accepted = acceptedIn(acceptEncoding);
  return ENCODINGS.find((encoding) => accepted.includes(encoding)) ?? 'identity';
}

/** Returns only a value's origin, so that nothing else reaches a header; undefined if it has none. */
export function originOf(value: string): string | undefined {
  const origin = URL.canParse(value) ? new URL(value).origin : 'null';
  return origin === 'null' ? undefined : origin;
}

/** A Content-Security-Policy source that allows this inline text. */
export function hashSource(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

/** Merchants' pages that isolate themselves (COEP) show only frames with these headers. */
export const ISOLATED = {
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
};
