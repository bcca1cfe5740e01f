/** Tools that `pnpm judges` installs in tools/judges only, so their types are not available here. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('../../tools/judges/package.json', import.meta.url));

export const fileOf = (name: string): string => require.resolve(name);

export async function installed<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(fileOf(name)).href)) as T;
}
