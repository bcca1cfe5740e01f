/** True where `Accept-Encoding` takes this encoding: `br;q=0` does not. */
export function accepts(encoding: 'br' | 'gzip', acceptEncoding: string | undefined): boolean {
  const part = (acceptEncoding ?? '')
    .split(',')
    .map((text) =>
      text
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/),
    )
    .find(([name]) => name === encoding);
  return part !== undefined && !part.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
}
