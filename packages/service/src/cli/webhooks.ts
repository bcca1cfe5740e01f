/** `webhooks …`: lists and resends messages. */
import { movableClock } from '../core/clock.js';
import { iso } from '../core/day.js';
import { ServiceError } from '../core/error.js';
import type { OutboxHead } from '../webhooks/rules.js';
import type { Store } from '../core/store.js';
import { refuseUnknownUnit } from '../webhooks/served-units.js';
import { enableWebhooks, listWebhooks, recoverAllWebhooks, resendWebhook } from '../webhooks/queue.js';
import { timeIn } from '../platform/clock-offset.js';
import {
  BUSINESS_UNIT_OPTION,
  businessUnit,
  DATABASE_OPTION,
  instant,
  usageError,
  print,
  printed,
  required,
  text,
  type Action,
  type Command,
  type Options,
} from './command.js';
import { requiredDatabase, withStore } from './database.js';

const OPTIONS: Options = {
  'business-unit': BUSINESS_UNIT_OPTION,
  id: { type: 'string', help: 'resend: id of the message, as "webhooks list" prints it' },
  since: { type: 'string', help: 'list, recover: only messages from this ISO 8601 time on' },
  database: DATABASE_OPTION,
};

export const webhooks: Command = {
  usage: `webhooks list --business-unit SLUG [--since ISO] --database FILE | postgres://…
webhooks resend --id ID --business-unit SLUG --database FILE | postgres://…
webhooks recover --since ISO --business-unit SLUG --database FILE | postgres://…
webhooks enable --business-unit SLUG --database FILE | postgres://…`,
  summary: 'Lists and resends webhook messages, and enables addresses that returned 410.',
  actions: {
    list: reading(list),
    resend: reading(resend),
    recover: reading(recover),
    enable: reading(enable),
  },
};

interface Request {
  readonly unit: string;
  readonly id: string | undefined;
  readonly since: number | undefined;
}

type Work = (store: Store) => Promise<void>;

/** An action that checks its arguments before it opens the database. */
function reading(action: (request: Request) => Work): Action {
  return {
    options: OPTIONS,
    run: async (values) => {
      const database = requiredDatabase(values);
      const unit = businessUnit(text(values['business-unit']));
      const since = instant(text(values['since']), '--since');
      const work = action({ unit, id: text(values['id']), since });
      await withStore(database, async (store) => {
        await store.read((tx) => refuseUnknownUnit(tx, unit));
        await work(store);
      });
    },
  };
}

function list({ unit, since = 0 }: Request): Work {
  return async (store) => {
    let count = 0;
    for (let after: string | undefined = ''; after !== undefined;) {
      const start: string = after;
      const page = await store.read((tx) => listWebhooks(tx, unit, since, { after: start }));
      if (start === '')
        for (const { url, disabledAt } of page.disabled) print(`disabled  ${iso(disabledAt)}  ${url}`);
      for (const message of page.messages) await printed(`${line(message)}\n`);
      count += page.messages.length;
      after = page.next;
    }
    if (count === 0) process.stderr.write(`There are no messages of ${unit}.\n`);
  };
}

function resend({ unit, id }: Request): Work {
  const which = required(id, '--id');
  return async (store) => {
    const sent = await store.transaction(async (tx) => resendWebhook(tx, unit, which, await now(tx)));
    if (!sent.ok)
      throw new ServiceError(
        'message_not_found',
        'This business unit has no message with that --id: see "webhooks list".',
      );

    print(`${which} will be sent again.`);
  };
}

function recover({ unit, since }: Request): Work {
  if (since === undefined) throw usageError('--since is required.');
  return async (store) => {
    const total = await recoverAllWebhooks(store, unit, since, now);
    print(`${total} message${total === 1 ? '' : 's'} will be sent again.`);
  };
}

function enable({ unit }: Request): Work {
  return async (store) => {
    const urls = await store.transaction((tx) => enableWebhooks(tx, unit));
    for (const url of urls) print(`${url} is enabled again.`);
    if (urls.length === 0) print(`No address of ${unit} is disabled.`);
  };
}

/** The time of the services on this database. */
async function now(tx: Parameters<typeof timeIn>[0]): Promise<number> {
  const env = (await tx.meta.get('environment')) === 'production' ? 'production' : 'staging';
  return timeIn(tx, { env, clock: movableClock(() => Date.now()) });
}

function line({ id, createdAt, type, status, attempts, lastError }: OutboxHead): string {
  return [id, iso(createdAt), type, status, `attempts ${attempts}`, ...(lastError ? [lastError] : [])].join(
    '  ',
  );
}
