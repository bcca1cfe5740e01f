// Puts the temporary files of tests into memory: databases, browser profiles, copies of the sources.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const NAME = 'embedded-sessions-test-';
/** A run writes less than 1 GB; the rest is for its processes. */
const ROOM = 4 * 1024 ** 3;
const DAY_MS = 86_400_000;

/** Tests load libraries that they compile here, which `noexec` forbids in some containers. */
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
 * Moves the temporary files of this process and its children to memory if there is enough. On a disk, service tests spend
 * much of their time creating, syncing and removing databases. Removes the folder when the process exits.
 */
export function writeToMemory() {
  const available = process.availableMemory?.() ?? freemem();
  if (!isUsable() || available < ROOM) return;
  // Left by killed runs.
  for (const name of readdirSync(MEMORY).filter((name) => name.startsWith(NAME))) {
    const age = Date.now() - (statSync(join(MEMORY, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > DAY_MS) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(MEMORY, NAME));
  // PostgreSQL runs as another user, who must be able to enter.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  // Each of about a hundred service processes then starts with a fifth less CPU time.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
}
