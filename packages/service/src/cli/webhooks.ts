/** `webhooks …`: lists and resends messages. */
import { MovableClock, timeIn } from '../platform/clock.js';
import { iso } from '../core/day.js';
import { ServiceError } from '../core/error.js';
import type { OutboxHead } from '../webhooks/rules.js';
import type { Store, StoreTx } from '../core/store.js';
import { refuseUnknownUnit } from '../webhooks/served-units.js';
import { enableWebhooks, recoverWebhooks, resendWebhook } from '../webhooks/queue.js';
import {
  BUSINESS_UNIT_OPTION,
  businessUnit,
  DATABASE_OPTION,
  instant,
  print,
  printed,
  required,
  type Action,
  type Command,
  type ValuesOf,
} from './command.js';
import { requiredDatabase, withStore } from './database.js';

const OPTIONS = {
  'business-unit': BUSINESS_UNIT_OPTION,
  id: { type: 'string', help: 'resend: id of the message, as "webhooks list" prints it' },
  since: { type: 'string', help: 'list, recover: only messages from this ISO 8601 time on' },
  database: DATABASE_OPTION,
} as const;

export const webhooks: Command = {
  usage: `webhooks list --business-unit SLUG [--since ISO] --database FILE | postgres://…
webhooks resend --id ID --business-unit SLUG --database FILE | postgres://…
webhooks recover --since ISO --business-unit SLUG --database FILE | postgres://…
webhooks enable --business-unit SLUG --database FILE | postgres://…`,
  summary: 'Lists and resends webhook messages, and enables addresses that returned 410.',
  actions: {
    list: action(list),
    resend: action(resend, 'id'),
    recover: action(recover, 'since'),
    enable: action(enable),
  },
};

interface Request {
  readonly unit: string;
  readonly id: string;
  readonly since: number;
}

/** Checks the arguments before it opens the database. `needs`: an option that the action requires. */
function action(work: (store: Store, request: Request) => Promise<void>, needs?: 'id' | 'since'): Action {
  return {
    options: OPTIONS,
    run: async (values: ValuesOf<typeof OPTIONS>) => {
      const database = requiredDatabase(values);
      const unit = businessUnit(values['business-unit']);
      const since = instant(values.since, '--since') ?? 0;
      const id = values.id ?? '';
      if (needs) required(values[needs], `--${needs}`);
      await withStore(database, async (store) => {
        await store.read((tx) => refuseUnknownUnit(tx, unit));
        await work(store, { unit, id, since });
      });
    },
  };
}

const PAGE_SIZE = 5_000;

async function list(store: Store, { unit, since }: Request): Promise<void> {
  const disabled = await store.read((tx) => tx.outbox.disabledOf(unit));
  for (const { url, disabledAt } of disabled) print(`disabled  ${iso(disabledAt)}  ${url}`);
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const from: { after: string; size: number } = { after, size: PAGE_SIZE };
    const page = await store.read((tx) => tx.outbox.since(unit, since, from));
    for (const message of page.messages) await printed(`${line(message)}\n`);
    count += page.messages.length;
    after = page.next;
  }
  if (count === 0) process.stderr.write(`There are no messages of ${unit}.\n`);
}

async function resend(store: Store, { unit, id }: Request): Promise<void> {
  const isSent = await store.transaction(async (tx) => resendWebhook(tx, unit, id, await now(tx)));
  if (!isSent)
    throw new ServiceError(
      'message_not_found',
      'This business unit has no message with that --id: see "webhooks list".',
    );

  print(`${id} will be sent again.`);
  await warnIfDisabled(store, unit);
}

async function recover(store: Store, { unit, since }: Request): Promise<void> {
  const total = await recoverWebhooks(store, unit, since, now);
  print(`${total} message${total === 1 ? '' : 's'} will be sent again.`);
  await warnIfDisabled(store, unit);
}

/** The database doesn't know whether a disabled address is still in the config. */
async function warnIfDisabled(store: Store, unit: string): Promise<void> {
  const disabled = await store.read((tx) => tx.outbox.disabledOf(unit));
  for (const { url } of disabled)
    process.stderr.write(
      `Nothing is sent to ${url}, which returned 410. If it works again, run "webhooks enable" first.\n`,
    );
}

async function enable(store: Store, { unit }: Request): Promise<void> {
  const urls = await store.transaction((tx) => enableWebhooks(tx, unit));
  for (const url of urls) print(`${url} is enabled again.`);
  if (urls.length === 0) print(`No address of ${unit} is disabled.`);
}

/** The time of the services on this database. */
async function now(tx: StoreTx): Promise<number> {
  const env = (await tx.meta.get('environment')) === 'production' ? 'production' : 'staging';
  return timeIn(tx, { env, clock: new MovableClock() });
}

function line({ id, createdAt, type, status, attempts, lastError }: OutboxHead): string {
  return [id, iso(createdAt), type, status, `attempts ${attempts}`, ...(lastError ? [lastError] : [])].join(
    '  ',
  );
}
