/**
 * Where `dev` leaves the address of its inspector, token included, so that `listen` of the same user needs none: a file
 * in the user's own folder that nobody else reads. The last `dev` that was started is the one that is found.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const file = (): string =>
  join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'embedded-sessions', 'inspector');

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
    mkdirSync(dirname(file()), { recursive: true, mode: 0o700 });
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
