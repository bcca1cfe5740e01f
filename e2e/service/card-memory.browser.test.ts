// @module-tag thorough
/** Checks in a heap snapshot that a process keeps no card or bank account after its response. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PROCESSOR, startGateway } from '../../packages/service/test/gateway.js';
import { PageRefused, payer } from '../../packages/service/test/payer.js';
import { ask } from '../../packages/service/test/postgres.js';
import { hasPostgres, startPostgres, startService, type Postgres, type Service } from '../harness/index.js';

const FLAGS = { NODE_OPTIONS: '--heapsnapshot-signal=SIGUSR2' };
/** Payer names. The gateway uses them to accept, refuse, fail, or repeat the number in its token. */
const PAYERS = [
  { name: 'Dana Reyes', cardNumber: '348615937028468', accountNumber: '618402957313' },
  { name: 'Refuse Me', cardNumber: '379152846307199', accountNumber: '905137284661' },
  { name: 'Break Me', cardNumber: '347206183952741', accountNumber: '730518264932' },
  { name: 'Leak Me', cardNumber: '372604918536276', accountNumber: '284960371583' },
  { name: 'Keep Me', cardNumber: '340159627384012', accountNumber: '467281930572' },
];
/** The example processor, except that it keeps one payer's card, to prove that the test would find it. */
const MODULE = `import processor from ${JSON.stringify(PROCESSOR)};
const typed = [];
export default {
  ...processor,
  tokenize: (source, context) => {
    if (source.name === 'Keep Me') typed.push(source);
    return processor.tokenize(source, context);
  },
};`;

/** All strings of the process's heap after a garbage collection. */
async function heapOf(service: Service): Promise<string[]> {
  process.kill(service.pid, 'SIGUSR2');
  const name = (): string | undefined =>
    readdirSync(service.folder).find((file) => file.endsWith('.heapsnapshot'));
  const parse = (): Snapshot | null => {
    try {
      return JSON.parse(readFileSync(join(service.folder, name() ?? ''), 'utf8')) as Snapshot;
    } catch {
      return null;
    }
  };
  // The file exists before it is complete.
  const whole = await vi.waitUntil(parse, { timeout: 60_000, interval: 100 });
  rmSync(join(service.folder, name() ?? ''));

  const { node_fields: fields, node_types: types } = whole.snapshot.meta;
  const [type, text] = [fields.indexOf('type'), fields.indexOf('name')];
  const kinds = types[type] as string[];
  const texts: string[] = [];
  // Other nodes have numbers in their names, which look like security codes.
  for (let at = 0; at < whole.nodes.length; at += fields.length)
    if (kinds[whole.nodes[at + type] ?? 0]?.endsWith('string'))
      texts.push(whole.strings[whole.nodes[at + text] ?? 0] ?? '');
  return texts;
}

/** The parts of V8's heap snapshot that this file reads. */
interface Snapshot {
  readonly snapshot: { readonly meta: { node_fields: string[]; node_types: (string | string[])[] } };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/** Creates payers with security codes that this heap doesn't contain yet. */
function withCodes(strings: readonly string[]) {
  const known = new Set(strings);
  const codes = Array.from({ length: 9_000 }, (_, code) => String(1_000 + code)).filter(
    (code) => !known.has(code),
  );
  return PAYERS.map((each, turn) => ({ ...each, securityCode: codes[turn * 37] ?? '' }));
}

type Person = ReturnType<typeof withCodes>[number];

const found = (strings: readonly string[], people: readonly Person[]): string[] =>
  strings.filter((text) =>
    people.some(
      ({ cardNumber, accountNumber, securityCode }) =>
        text.includes(cardNumber) ||
        text.includes(accountNumber) ||
        text === securityCode ||
        text.includes(`"${securityCode}"`),
    ),
  );

const byCard = ({ name, cardNumber, securityCode }: Person) =>
  ({
    method: 'Credit Card',
    name,
    cardNumber,
    securityCode,
    expiry: '12/34',
    country: 'US',
    zipCode: '04101',
  }) as const;
const byBank = ({ name, accountNumber }: Person) =>
  ({
    method: 'ACH',
    holder: name,
    accountNumber,
    routingNumber: '110000000',
    accountType: 'checking',
  }) as const;

async function payWith(service: Service, source: ReturnType<typeof byCard | typeof byBank>): Promise<string> {
  const { sessionId, sessionUrl } = await service.create('payment');
  const page = payer(
    (path, init) => fetch(new URL(path, service.url), init),
    sessionId,
    new URL(sessionUrl).hash.slice(1),
  );
  return page.pay({ source, charges: [{ index: 0, amount: 1_234 }] }).then(
    ({ status }) => status,
    (error: unknown) => {
      if (error instanceof PageRefused) return 'refused';
      throw error;
    },
  );
}

let postgres: Postgres | undefined;
let folder: string;
beforeAll(async () => {
  if (hasPostgres) postgres = await startPostgres();
  folder = mkdtempSync(join(tmpdir(), 'card-memory-'));
  writeFileSync(join(folder, 'processor.mjs'), MODULE);
}, 60_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await postgres?.stop();
});

/** The whole database as text. */
async function contentOf({ database }: Service): Promise<string> {
  if (database.startsWith('postgres'))
    return JSON.stringify(await ask(database, "select database_to_xml(true, false, '')"));
  return [database, `${database}-wal`].map((file) => readFileSync(file, 'latin1')).join('');
}

it.each(['SQLite', ...(hasPostgres ? ['PostgreSQL'] : [])])(
  'R-50 keeps no card number, account number or security code in heap, log or database after the response: %s',
  async (engine) => {
    const gateway = await startGateway();
    const service = await startService({
      args: ['--processor', join(folder, 'processor.mjs')],
      variables: { ...gateway.variables, ...FLAGS },
      ...(engine === 'SQLite' || postgres === undefined ? {} : { database: await postgres.database() }),
    });
    const before = await heapOf(service);
    const people = withCodes(before);
    expect(found(before, people)).toEqual([]);
    const kept = people.pop() as Person;
    for (const source of [byCard, byBank]) {
      const outcomes: string[] = [];
      for (const person of people) outcomes.push(await payWith(service, source(person)));
      gateway.mode = 'lost';
      outcomes.push(await payWith(service, source(people[0] as Person)));
      gateway.mode = 'up';
      expect(outcomes).toEqual(['succeeded', 'refused', 'refused', 'refused', 'processing']);
    }

    expect(found(await heapOf(service), people)).toEqual([]);
    const content = await contentOf(service);
    expect(content).toContain('Dana Reyes');
    // The other engine has already proved that the test finds a card.
    if (engine === 'SQLite') {
      expect(await payWith(service, byCard(kept))).toBe('succeeded');
      expect(found(await heapOf(service), [kept])).toEqual(
        expect.arrayContaining([kept.cardNumber, kept.securityCode]),
      );
    }
    await service.stop();
    expect(found([service.logs(), content], people)).toEqual([]);
    await gateway.close();
  },
  120_000,
);
