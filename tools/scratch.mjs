// Where tests write what they forget: databases, profiles of browsers, copies of the sources.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const NAME = 'embedded-sessions-test-';
/** A run takes less than one; the rest is for its processes. */
const ROOM = 4 * 1024 ** 3;
const DAY_MS = 86_400_000;

/** Libraries that are compiled here are loaded from here, which some containers forbid. */
function isUsable() {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const [, , type, options] = mounts.find((line) => line.split(' ')[1] === MEMORY)?.split(' ') ?? [];
    const { bavail, bsize } = statfsSync(MEMORY);
    return type === 'tmpfs' && !options.split(',').includes('noexec') && bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}

/**
 * Has this process and those that it starts write their temporary files to memory, where there is room for them: a new
 * database, its syncs and its removal are a good part of what a test of the service costs on a disk. Gone with the
 * process.
 */
export function writeToMemory() {
  const available = process.availableMemory?.() ?? freemem();
  if (!isUsable() || available < ROOM) return;
  // Of runs that were killed.
  for (const name of readdirSync(MEMORY).filter((name) => name.startsWith(NAME))) {
    const age = Date.now() - (statSync(join(MEMORY, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > DAY_MS) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(MEMORY, NAME));
  // PostgreSQL does not run as root; its user passes through.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
}
