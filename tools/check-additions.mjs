// Checks that an addition to one of the lists below doesn't compile until every place handles it. Makes each addition in a
// copy of the sources and expects the compiler to report those places.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { run } from './steps.mjs';

const root = new URL('..', import.meta.url).pathname;
process.env.PATH = `${root}node_modules/.bin:${process.env.PATH}`;

/**
 * @typedef {object} Addition
 * @property {string} what
 * @property {string} member its name, which must be unique in the sources
 * @property {string[]} [lists] types that an error may name instead
 * @property {[file: string, before: string, after: string][]} edits the addition itself
 * @property {string[]} packages packages that must have errors
 * @property {number} [files] minimum number of files with errors
 */

const SESSION = 'packages/server-types/src/session.ts';

/** @type {Addition[]} */
const ADDITIONS = [
  {
    what: 'a flow',
    member: 'gift-cards',
    edits: [
      [SESSION, "  | 'notifications';", "  | 'notifications'\n  | 'gift-cards';"],
      [
        SESSION,
        '  notifications: CustomerSessionRequest;',
        "  notifications: CustomerSessionRequest;\n  'gift-cards': AccountSessionRequest;",
      ],
      [
        SESSION,
        '  notifications: ManagementSession;',
        "  notifications: ManagementSession;\n  'gift-cards': ManagementSession;",
      ],
      [
        'packages/server-types/src/flows.ts',
        'export const FLOWS: Readonly<Record<Flow, FlowDefinition>> = {',
        "export const FLOWS: Readonly<Record<Flow, FlowDefinition>> = {\n  'gift-cards': management('/integrations/embedded/x'),",
      ],
    ],
    packages: ['server-types', 'server', 'react', 'service'],
  },
  {
    what: 'a payment method',
    member: 'Carrier Pigeon',
    lists: ["'Sources'"],
    edits: [
      [SESSION, "['Credit Card', 'ACH'] as const", "['Credit Card', 'ACH', 'Carrier Pigeon'] as const"],
    ],
    packages: ['service'],
  },
  {
    what: "a code of the loader's errors",
    member: 'meteor_strike',
    edits: [
      ['packages/loader/src/error.ts', "  | 'session_failed';", "  | 'session_failed'\n  | 'meteor_strike';"],
    ],
    packages: ['loader'],
    files: 1,
  },
  {
    what: 'an event of a flow',
    member: 'daydreaming',
    edits: [
      [
        'packages/loader/src/sdk.ts',
        '  processing: undefined;',
        '  processing: undefined;\n  daydreaming: undefined;',
      ],
    ],
    packages: ['loader', 'service'],
  },
  {
    what: 'a verdict',
    member: 'reconsidered',
    edits: [
      [
        'packages/loader/src/sdk.ts',
        "  | { status: 'expired'; renew?: true }",
        "  | { status: 'expired'; renew?: true }\n  | { status: 'reconsidered' }",
      ],
    ],
    packages: ['loader'],
    files: 1,
  },
  {
    what: 'a table',
    member: 'disputes',
    edits: [
      [
        'packages/service/src/platform/databases/tables.ts',
        '  test_charges: {',
        '  disputes: { id: string };\n  test_charges: {',
      ],
    ],
    packages: ['service'],
  },
  {
    what: 'a kind of fault',
    member: 'half-an-answer',
    edits: [
      [
        'packages/service/src/shared/inspector.ts',
        "| 'drop-after-commit';",
        "| 'drop-after-commit' | 'half-an-answer';",
      ],
    ],
    packages: ['service'],
    files: 1,
  },
];

const copy = mkdtempSync(join(tmpdir(), 'embedded-sessions-additions-'));
try {
  copySources();
  const stale = ADDITIONS.filter((addition) => !addition.edits.every((edit) => apply(edit)));
  // Excludes merchants' code, and code that checks the packages from outside.
  const { references } = JSON.parse(readFileSync(join(copy, 'tsconfig.json'), 'utf8'));
  const projects = references.map(({ path }) => path).filter((path) => path.startsWith('packages/'));
  const { output } = await run('tsc', ['-b', ...projects, '--pretty', 'false', '--singleThreaded'], {
    cwd: copy,
  });
  const errors = output.split(/\n(?=\S+\(\d+,\d+\): error )/);
  const failures = [
    ...stale.map(({ what }) => `${what}: what this check edits has changed`),
    ...ADDITIONS.flatMap((addition) => missing(addition, namedFor(addition, errors))),
  ];
  if (failures.length > 0) console.log(`The compiler said:\n${output}\n`);
  for (const failure of failures) console.log(failure);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Copies everything except build output: packages find each other in the copy, and dependencies where they are installed. */
function copySources() {
  const skipped = new Set(['dist', '.git', '.test', '.next']);
  for (const entry of readdirSync(root)) {
    if (skipped.has(entry) || entry === 'node_modules') continue;
    cpSync(join(root, entry), join(copy, entry), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !skipped.has(basename(path)),
    });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** @param {Addition['edits'][number]} edit */
function apply([file, before, after]) {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(before, after));
  return text.split(before).length === 2;
}

/**
 * The files with an error about it.
 * @param {Addition} addition
 * @param {string[]} errors
 */
function namedFor({ member, lists = [] }, errors) {
  const relevant = errors.filter((error) => [member, ...lists].some((name) => error.includes(name)));
  return [...new Set(relevant.map((error) => error.split('(')[0] ?? ''))];
}

/**
 * @param {Addition} addition
 * @param {string[]} named
 */
function missing({ what, packages, files = 2 }, named) {
  const absent = packages.filter((name) => !named.some((file) => file.startsWith(`packages/${name}/`)));
  const found = `the compiler names ${named.join(', ') || 'no place'}`;
  if (absent.length > 0) return [`${what} compiles in ${absent.join(', ')}: ${found}`];
  return named.length < files ? [`${what}: ${found}, of at least ${files}`] : [];
}
