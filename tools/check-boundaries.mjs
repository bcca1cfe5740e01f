// Every import that ARCHITECTURE.md forbids is tried once, and the linter must refuse it; what it allows, it must not.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { run } from './steps.mjs';

const root = new URL('..', import.meta.url).pathname;
process.env.PATH = `${root}node_modules/.bin:${process.env.PATH}`;
const service = 'packages/service/src';

/** From the top; each imports only from those after it. */
const ROOMS = [...readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(/^\| `(\w+)` \| /gm)].map(
  ([, room = '']) => room,
);
/** They reach what is stored through the domain's `Store`. */
const WITHOUT_STORAGE = new Set(['http', 'control', 'keys', 'jobs']);
/** What a package of ours may import of the others. */
const PACKAGES = {
  'server-types': [],
  loader: [],
  react: ['loader'],
  server: ['server-types'],
  service: ['server-types', 'loader'],
};

/** @typedef {{ from: string, rule: string, code: string }} Trial */

/** @type {(from: string, spec: string) => Trial} */
const importing = (from, spec) => ({
  from,
  rule: 'no-restricted-imports',
  code: `import * as other from '${spec}';\nexport { other };\n`,
});
/** @type {(from: string, to: string) => string} */
const path = (from, to) => `${relative(`${service}/${from}`, `${service}/${to}`)}.js`;

const rooms = ROOMS.flatMap((room, place) => [
  ...ROOMS.map((other, otherPlace) => ({
    trial: importing(`${service}/${room}`, path(room, `${other}/anything`)),
    forbidden: otherPlace < place || (other === 'storage' && WITHOUT_STORAGE.has(room)),
    same: other === room,
  })).filter(({ same }) => !same),
  { trial: importing(`${service}/${room}`, path(room, 'browser/pages/anything')), forbidden: true },
  {
    trial: importing(`${service}/${room}`, path(room, 'deps')),
    forbidden: place >= ROOMS.indexOf('processor'),
  },
  { trial: importing(`${service}/${room}`, path(room, 'index')), forbidden: room !== 'run' },
]);
const browser = ['browser', 'browser/pages/kit', 'browser/sdk'].flatMap((from) => [
  ...ROOMS.map((room) => ({
    trial: importing(`${service}/${from}`, path(from, `${room}/anything`)),
    forbidden: room !== 'shared',
  })),
  { trial: importing(`${service}/${from}`, 'node:fs'), forbidden: true },
  { trial: importing(`${service}/${from}`, '@embedded-sessions/server-types'), forbidden: true },
]);
const pagesAndSdk = [
  { trial: importing(`${service}/browser/sdk`, '../pages/kit/shell/api.js'), forbidden: true },
  { trial: importing(`${service}/browser/pages/kit`, '../../sdk/view.js'), forbidden: true },
  { trial: importing(`${service}/browser/pages/kit`, '../../messages.js'), forbidden: false },
];
const packages = Object.entries(PACKAGES).flatMap(([name, allowed]) =>
  Object.keys(PACKAGES)
    .filter((other) => other !== name)
    .map((other) => ({
      trial: importing(
        name === 'service' ? `${service}/run` : `packages/${name}/src`,
        `@embedded-sessions/${other}`,
      ),
      forbidden: !allowed.includes(other),
    })),
);
const pure = ['domain', 'shared'].flatMap((room) => [
  ...['hono', 'kysely', 'zod', '@hono/node-server', 'node:crypto'].map((spec) => ({
    trial: importing(`${service}/${room}`, spec),
    forbidden: true,
  })),
  ...[
    'Date.now()',
    'Math.random()',
    'performance.now()',
    "fetch('/')",
    'process.env',
    'crypto.randomUUID()',
  ].map((code) => ({
    trial: {
      from: `${service}/${room}`,
      rule: 'no-restricted-globals',
      code: `export const made: unknown = ${code};\n`,
    },
    forbidden: true,
  })),
]);

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-boundaries-'));
try {
  writeFileSync(join(folder, '.oxlintrc.json'), readFileSync(join(root, '.oxlintrc.json')));
  const trials = [...rooms, ...browser, ...pagesAndSdk, ...packages, ...pure].map(
    ({ trial, forbidden }, n) => ({
      ...trial,
      forbidden,
      file: `${trial.from}/trial-${n}.ts`,
    }),
  );
  for (const { file, code } of trials) write(file, code);
  const cycle = ['one', 'other'].map((name) => `${service}/runtime/${name}.ts`);
  write(cycle[0] ?? '', "import type { Other } from './other.js';\nexport type One = Other | 1;\n");
  write(cycle[1] ?? '', "import type { One } from './one.js';\nexport type Other = One[];\n");

  const { output } = await run('oxlint', ['--format', 'json'], { cwd: folder });
  /** @type {{ diagnostics: { code: string, filename: string }[] }} */
  const { diagnostics } = JSON.parse(output);
  /** @type {(file: string, rule: string) => boolean} */
  const refused = (file, rule) =>
    diagnostics.some(({ code, filename }) => code.includes(rule) && filename.endsWith(file));
  const failures = [
    ...(ROOMS.length < 5 ? ['ARCHITECTURE.md has no table of rooms any more'] : []),
    ...trials
      .filter(({ file, rule, forbidden }) => refused(file, rule) !== forbidden)
      .map(
        ({ from, code, forbidden }) =>
          `${from} is ${forbidden ? 'not refused' : 'refused'}: ${code.split('\n')[0]}`,
      ),
    ...(cycle.some((file) => refused(file, 'no-cycle'))
      ? []
      : ['types that import each other are not refused']),
  ];
  for (const failure of failures) console.log(failure);
  console.log(`${trials.length + 1} imports tried`);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @type {(file: string, code: string) => void} */
function write(file, code) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), code);
}
