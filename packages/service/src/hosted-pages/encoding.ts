/** Encodings of files and pages, smallest first. */
const ENCODINGS = ['br', 'gzip'] as const;

export type Encoding = (typeof ENCODINGS)[number] | 'identity';

/** Longer than any client's `Accept-Encoding`. */
const MAX_HEADER = 1_000;

/** Chooses the smallest encoding that `Accept-Encoding` allows, in linear time. */
export function chooseEncoding(acceptEncoding = ''): Encoding {
  const accepted = new Set<string>();

  for (const item of acceptEncoding.slice(0, MAX_HEADER).split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    if (!parameters.some(isRefusal)) accepted.add(name);
  }

  return ENCODINGS.find((encoding) => accepted.has(encoding)) ?? 'identity';
}

const isRefusal = (parameter: string): boolean => /^q=0(\.0{0,3})?$/.test(parameter);
