import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A folder of the service's build, such as `pages`. */
export function builtFolder(name: string): string {
  const manifest = createRequire(import.meta.url).resolve('@embedded-sessions/service/package.json');
  return join(dirname(manifest), 'dist', name);
}
