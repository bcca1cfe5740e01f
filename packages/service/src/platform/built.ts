import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export function builtFolder(name: string): string {
  const manifest = createRequire(import.meta.url).resolve('@embedded-sessions/service/package.json');
  return join(dirname(manifest), 'dist', name);
}
