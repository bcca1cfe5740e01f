/** Returns only a value's origin, so that nothing else reaches a header; undefined if it has none. */
export function originOf(value: string): string | undefined {
  const origin = URL.canParse(value) ? new URL(value).origin : 'null';
  return origin === 'null' ? undefined : origin;
}
