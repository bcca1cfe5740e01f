/** The origin alone, so that nothing else of a value reaches a header; undefined if the value has no origin. */
export function originOf(value: string): string | undefined {
  const origin = URL.canParse(value) ? new URL(value).origin : 'null';
  return origin === 'null' ? undefined : origin;
}
