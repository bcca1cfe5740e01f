import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadOrCreateSessionKeys } from '../platform/keys/find-session-keys.js';

/**
 * The session keys of `dev`, in the user's folder and readable by that user alone, so that the sample's API key and
 * secret stay the same. If the folder can't be written, calls `unkept` and returns undefined: they are new at each start.
 */
export function devKeys(unkept: (why: unknown) => void): string | undefined {
  const state = process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  const folder = join(state, 'embedded-sessions');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return loadOrCreateSessionKeys(join(folder, 'dev.session-keys'));
  } catch (error) {
    unkept(error);
    return undefined;
  }
}
