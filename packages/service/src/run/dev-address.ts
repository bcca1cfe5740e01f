/**
 * What `dev` keeps in the user's own folder, in files that nobody else reads: the address of its inspector, token
 * included, so that `listen` of the same user needs none (the last `dev` that was started is the one that is found), and
 * the key that its sample's API key and secrets are derived from, so that they are the same the next time.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { keptSessionKeys } from './find-session-keys.js';

const folder = (): string =>
  join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'embedded-sessions');
const file = (): string => join(folder(), 'inspector');

/** Undefined where nothing can be kept: what is derived is new each time then. */
export function devKeys(): string | undefined {
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    return keptSessionKeys(join(folder(), 'dev.session-keys'));
  } catch {
    return undefined;
  }
}

/** Undefined where no `dev` runs, or its address cannot be read. */
export function findDevAddress(): string | undefined {
  try {
    return readFileSync(file(), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Returns what takes it away again, unless another `dev` has left its own meanwhile. */
export function leaveDevAddress(address: string): () => void {
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    // A new file each time: one that is there may be readable to others.
    const next = `${file()}.${process.pid}`;
    writeFileSync(next, `${address}\n`, { mode: 0o600 });
    renameSync(next, file());
  } catch {
    // A home that cannot be written: `listen` is given the address.
  }
  return () => {
    if (findDevAddress() === address) rmSync(file(), { force: true });
  };
}
