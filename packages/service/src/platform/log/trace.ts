const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Returns a `traceparent` that may be forwarded; undefined if it is missing or invalid. A later version is reduced to
 * the fields of version 00.
 */
export function readTraceparent(header: string | undefined): string | undefined {
  const [, version, trace = '', parent = '', flags = '', more] = TRACEPARENT.exec(header ?? '') ?? [];
  if (version === undefined || version === 'ff' || /^0+$/.test(trace) || /^0+$/.test(parent))
    return undefined;
  if (version === '00') return more === undefined ? header : undefined;
  return `00-${trace}-${parent}-0${Number.parseInt(flags, 16) & 1}`;
}
