// What the tests need besides Node, where it is found, and the Debian packages that bring it.
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const ENGINES = {
  chromium: {
    binaries: ['chromium', 'chromium-browser', 'google-chrome'],
    packages: ['chromium', 'chromium-driver'],
  },
  firefox: { binaries: ['firefox-esr', 'firefox'], packages: ['firefox-esr'] },
  webkit: { binaries: ['WebKitWebDriver'], packages: ['webkit2gtk-driver'] },
  xvfb: { binaries: ['Xvfb'], packages: ['xvfb'] },
  postgresql: { binaries: ['initdb'], packages: ['postgresql'] },
};

/** Debian keeps the PostgreSQL server's programs, one folder per version, off the PATH. */
function folders() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  return [
    ...(process.env.PATH ?? '').split(delimiter),
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

/** The program's path, or null where it is not installed. */
export function findEngine(name) {
  const candidates = ENGINES[name].binaries.flatMap((binary) =>
    folders().map((folder) => join(folder, binary)),
  );
  return candidates.find(isExecutable) ?? null;
}

export function missingEngines() {
  return Object.keys(ENGINES).filter((name) => findEngine(name) === null);
}
