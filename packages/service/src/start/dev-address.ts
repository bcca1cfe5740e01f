/**
 * State that `dev` keeps in the user's folder, readable by that user alone: the inspector's address with its token, so
 * that `listen` finds the most recently started `dev`, and the key from which the sample's API key and secrets are
 * derived, so that they stay the same.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadOrCreateSessionKeys } from '../platform/keys/find-session-keys.js';

const folder = (): string =>
  join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'embedded-sessions');
const file = (): string => join(folder(), 'inspector');

function makeFolder(): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
}

/** If the folder can't be written, calls `onFailure` and returns undefined. Derived keys are then new at each start. */
export function devKeys(onFailure: (why: unknown) => void): string | undefined {
  try {
    makeFolder();
    return loadOrCreateSessionKeys(join(folder(), 'dev.session-keys'));
  } catch (error) {
    onFailure(error);
    return undefined;
  }
}

/** Returns undefined if no `dev` is running or its address can't be read. */
export function findDevAddress(): string | undefined {
  try {
    return readFileSync(file(), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Returns a function that removes the address, unless another `dev` has replaced it. */
export function leaveDevAddress(address: string): () => void {
  try {
    makeFolder();
    // A new file each time, because an existing one may be readable by others.
    const next = `${file()}.${process.pid}`;
    writeFileSync(next, `${address}\n`, { mode: 0o600 });
    renameSync(next, file());
  } catch {
    // The folder is not writable, so `listen` needs --inspector.
  }
  return () => {
    if (findDevAddress() === address) rmSync(file(), { force: true });
  };
}
