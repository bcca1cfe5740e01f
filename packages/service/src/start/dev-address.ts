/**
 * What `dev` keeps in the user's own folder, in files that nobody else reads: the address of its inspector, token
 * included, so that `listen` of the same user needs none (the last `dev` that was started is the one that is found), and
 * the key that its sample's API key and secrets are derived from, so that they are the same the next time.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { keptSessionKeys } from '../platform/keys/find-session-keys.js';

const folder = (): string =>
  join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'embedded-sessions');
const file = (): string => join(folder(), 'inspector');

/** One at a time: all at once (`recursive`) Node tries for ever where a file system makes none, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Undefined where nothing can be kept, which `unkept` is told of: what is derived is new each time then. */
export function devKeys(unkept: (why: unknown) => void): string | undefined {
  try {
    makeFolder(folder());
    return keptSessionKeys(join(folder(), 'dev.session-keys'));
  } catch (error) {
    unkept(error);
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
    makeFolder(folder());
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
