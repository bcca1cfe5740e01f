/** What a process keeps of a card once it has answered, read from a heap snapshot. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it, vi } from 'vitest';
import { PROCESSOR, startGateway } from '../../packages/service/test/gateway.js';
import { PageRefused, payer } from '../../packages/service/test/payer.js';
import { startService, type Service } from '../harness/index.js';

const FLAGS = { NODE_OPTIONS: '--heapsnapshot-signal=SIGUSR2' };
/** Each payer's name, by which the gateway pays, refuses, breaks, or repeats the number in its token. */
const CARDS = [
  { name: 'Dana Reyes', cardNumber: '348615937028468' },
  { name: 'Refuse Me', cardNumber: '379152846307199' },
  { name: 'Break Me', cardNumber: '347206183952741' },
  { name: 'Leak Me', cardNumber: '372604918536276' },
];
/** A processor that keeps what was typed, to show that the test would find it. */
const KEEPS = `const typed = [];
export default {
  tokenize: async (source) => ({ token: 'tok_' + typed.push(source), last4: source.cardNumber.slice(-4) }),
  charge: async () => 'succeeded',
  lookup: async () => 'never_seen',
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
  // The file is there before it is whole.
  const whole = await vi.waitUntil(parse, { timeout: 60_000, interval: 500 });
  rmSync(join(service.folder, name() ?? ''));

  const { node_fields: fields, node_types: types } = whole.snapshot.meta;
  const [type, text] = [fields.indexOf('type'), fields.indexOf('name')];
  const kinds = types[type] as string[];
  const texts: string[] = [];
  // Other nodes are numbered, which looks like a code.
  for (let at = 0; at < whole.nodes.length; at += fields.length)
    if (kinds[whole.nodes[at + type] ?? 0]?.endsWith('string'))
      texts.push(whole.strings[whole.nodes[at + text] ?? 0] ?? '');
  return texts;
}

/** The part of V8's heap snapshot that is read here. */
interface Snapshot {
  readonly snapshot: { readonly meta: { node_fields: string[]; node_types: (string | string[])[] } };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/** Cards with codes that are not in this heap yet. */
function withCodes(strings: readonly string[]) {
  const known = new Set(strings);
  const codes = Array.from({ length: 9_000 }, (_, code) => String(1_000 + code)).filter(
    (code) => !known.has(code),
  );
  return CARDS.map((card, turn) => ({ ...card, securityCode: codes[turn * 37] ?? '' }));
}

type Card = ReturnType<typeof withCodes>[number];

const found = (strings: readonly string[], cards: readonly Card[]): string[] =>
  strings.filter((text) =>
    cards.some(
      ({ cardNumber, securityCode }) =>
        text.includes(cardNumber) || text === securityCode || text.includes(`"${securityCode}"`),
    ),
  );

async function payWith(service: Service, card: Card): Promise<string> {
  const { sessionId, sessionUrl } = await service.create('payment');
  const page = payer(
    (path, init) => fetch(new URL(path, service.url), init),
    sessionId,
    new URL(sessionUrl).hash.slice(1),
  );
  const source = {
    method: 'Credit Card',
    expiry: '12/34',
    country: 'US',
    zipCode: '04101',
    ...card,
  } as const;
  return page.pay({ source, charges: [{ index: 0, amount: 1_234 }] }).then(
    ({ status }) => status,
    (error: unknown) => {
      if (error instanceof PageRefused) return 'refused';
      throw error;
    },
  );
}

it('R-50 keeps no card number and no security code in heap, log or database once it has answered', async () => {
  const gateway = await startGateway();
  const service = await startService({
    args: ['--processor', PROCESSOR],
    variables: { ...gateway.variables, ...FLAGS },
  });
  const before = await heapOf(service);
  const cards = withCodes(before);
  expect(found(before, cards)).toEqual([]);
  const outcomes: string[] = [];
  for (const card of cards) outcomes.push(await payWith(service, card));
  gateway.mode = 'lost';
  for (const card of cards.slice(0, 1)) outcomes.push(await payWith(service, card));
  expect(outcomes).toEqual(['succeeded', 'refused', 'refused', 'refused', 'processing']);

  expect(found(await heapOf(service), cards)).toEqual([]);
  await service.stop();
  const kept = service.logs() + readFileSync(service.database).toString('latin1');
  for (const { cardNumber } of CARDS) expect(kept).not.toContain(cardNumber);
  await gateway.close();
}, 120_000);

it('R-50 finds a card that a processor module keeps', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'card-memory-'));
  const module = join(folder, 'processor.mjs');
  writeFileSync(module, KEEPS);
  const service = await startService({ args: ['--processor', module], variables: FLAGS });
  const cards = withCodes(await heapOf(service)).slice(0, 1);
  const [card] = cards as [Card];
  expect(await payWith(service, card)).toBe('succeeded');
  expect(found(await heapOf(service), cards)).toEqual(
    expect.arrayContaining([card.cardNumber, card.securityCode]),
  );
  await service.stop();
  rmSync(folder, { recursive: true });
}, 120_000);
