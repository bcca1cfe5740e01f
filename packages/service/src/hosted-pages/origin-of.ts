/** The origin alone, so that nothing else of a value reaches a header; undefined if it has none. */
export function originOf(value: string): string | undefined {
  const origin = URL.canParse(value) ? new URL(value).origin : 'null';
  return origin === 'null' ? undefined : origin;
}
