// Programs that the tests need besides Node, and the Debian packages that contain them.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const isFailover = process.env.FAILOVER === 'all';
const isMatrix = process.env.MATRIX === 'all';

/**
 * Every Chromium: no sandbox, so that root can run it, and no background requests, which time out on a closed network.
 * @type {readonly string[]}
 */
export const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const ENGINES = {
  chromium: {
    binaries: ['chromium', 'chromium-browser', 'google-chrome'],
    packages: ['chromium', 'chromium-driver'],
  },
  // The same engine without browser UI, at half the cost per page. Optional.
  shell: { binaries: ['chromium-headless-shell'], packages: ['chromium-headless-shell'], isSpare: true },
  // Only `browser` needs these three. Playwright needs this version ("network.addDataCollector: unknown command").
  firefox: {
    binaries: ['firefox-esr', 'firefox'],
    packages: ['firefox-esr'],
    atLeast: 153,
    isWanted: isMatrix,
  },
  webkit: { binaries: ['WebKitWebDriver'], packages: ['webkit2gtk-driver'], isWanted: isMatrix },
  xvfb: { binaries: ['Xvfb'], packages: ['xvfb'], isWanted: isMatrix },
  postgresql: { binaries: ['initdb'], packages: ['postgresql'] },
  // It starts only as root.
  exim: { binaries: ['exim4'], packages: ['exim4-daemon-light'], isWanted: process.getuid?.() === 0 },
  // Only `test:failover` needs these.
  pgbouncer: { binaries: ['pgbouncer'], packages: ['pgbouncer'], isWanted: isFailover },
  haproxy: { binaries: ['haproxy'], packages: ['haproxy'], isWanted: isFailover },
  etcd: { binaries: ['etcd'], packages: ['etcd-server'], isWanted: isFailover },
  patroni: { binaries: ['patroni'], packages: ['patroni', 'python3-etcd'], isWanted: isFailover },
};

/** Debian keeps the PostgreSQL server's programs, one folder per version, outside the PATH. */
function folders() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  return [
    ...(process.env.PATH ?? '').split(delimiter),
    // Daemons, which Debian puts outside the PATH of users.
    '/usr/sbin',
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @typedef {keyof typeof ENGINES} EngineName */

/**
 * The program's path, or null if it is missing or too old.
 * @param {EngineName} name
 */
export function findEngine(name) {
  const { atLeast } = ENGINES[name];
  const candidates = ENGINES[name].binaries.flatMap((binary) =>
    folders().map((folder) => join(folder, binary)),
  );
  return candidates.find((file) => isExecutable(file) && versionOf(file, atLeast) >= (atLeast ?? 0)) ?? null;
}

/** Its major version, or Infinity if any version works. */
function versionOf(file, atLeast) {
  if (atLeast === undefined) return Infinity;
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
  return Number(/\d+/.exec(stdout ?? '')?.[0] ?? 0);
}

/**
 * Missing programs that tests need, or, with `isSpare`, that only make them faster.
 * @returns {EngineName[]}
 */
export function missingEngines(isSpare = false) {
  return Object.keys(ENGINES).filter(
    (name) =>
      ENGINES[name].isWanted !== false &&
      (ENGINES[name].isSpare ?? false) === isSpare &&
      findEngine(name) === null,
  );
}
