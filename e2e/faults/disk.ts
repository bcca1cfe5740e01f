/** Simulates a disk that is slow, fails, is full, or records what a power cut would leave. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from '../../tools/at-end.mjs';

const FOLDER = mkdtempSync(join(tmpdir(), 'embedded-sessions-disk-'));
atEnd(() => rmSync(FOLDER, { recursive: true, force: true }));

const LIBRARY = join(FOLDER, 'disk.so');
const compiled = spawnSync('cc', [
  '-shared',
  '-fPIC',
  '-o',
  LIBRARY,
  new URL('disk.c', import.meta.url).pathname,
]);

/** Whether this machine has a C compiler. */
export const hasDisk = compiled.status === 0;

export interface Disk {
  readonly database: string;
  /** Environment variables to start the service with. */
  readonly variables: Record<string, string>;
  /** Completed syncs. */
  syncs(): number;
  set(what: 'fails' | 'full' | 'full-database', on: boolean): void;
  /** Copies the state of the disk at one moment to `folder`. Returns the path of the database file there. */
  cutPower(folder: string): string;
}

let disks = 0;

export function makeDisk({ syncMs, remember = false }: { syncMs?: number; remember?: boolean }): Disk {
  const folder = join(FOLDER, String(++disks));
  const shadow = join(folder, 'synced');
  mkdirSync(shadow, { recursive: true });
  const names = ['service.db', 'service.db-wal'];
  const kept = (): string =>
    names
      .map((name) => join(shadow, name))
      .map((file) => (existsSync(file) ? `${statSync(file).ino} ${statSync(file).mtimeMs}` : ''))
      .join();
  return {
    database: join(folder, 'service.db'),
    variables: {
      LD_PRELOAD: LIBRARY,
      DISK_FOLDER: folder,
      ...(syncMs === undefined ? {} : { DISK_SYNC_MS: String(syncMs) }),
      ...(remember ? { DISK_SHADOW: shadow } : {}),
    },
    syncs: () => statSync(join(folder, 'disk.syncs'), { throwIfNoEntry: false })?.size ?? 0,
    set: (what, on) =>
      on ? writeFileSync(join(folder, `disk.${what}`), '') : rmSync(join(folder, `disk.${what}`)),
    cutPower: (to) => {
      mkdirSync(to, { recursive: true });
      for (;;) {
        const before = kept();
        for (const name of names) {
          rmSync(join(to, name), { force: true });
          if (existsSync(join(shadow, name))) copyFileSync(join(shadow, name), join(to, name));
        }
        if (kept() === before) return join(to, 'service.db');
      }
    },
  };
}
