/** `webhooks …`: lists and resends messages that did not arrive. */
import { movableClock } from '../core/clock.js';
import { ServiceError } from '../core/error.js';
import type { OutboxMessage } from '../webhooks/rules.js';
import type { Store } from '../core/store.js';
import { refuseUnknownUnit } from '../webhooks/served-units.js';
import { enableWebhooks, listWebhooks, recoverAllWebhooks, resendWebhook } from '../webhooks/queue.js';
import { timeIn } from '../platform/clock-offset.js';
import {
  BUSINESS_UNIT_OPTION,
  businessUnit,
  DATABASE_OPTION,
  instant,
  misused,
  noSuchAction,
  parse,
  print,
  printed,
  required,
  text,
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
  summary: 'Lists webhook messages, sends them again, and enables addresses that answered 410.',
  options: OPTIONS,
  run: async ([action = '', ...args]) => {
    const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (run === undefined) throw noSuchAction('webhooks', action);

    const { values } = parse(args, OPTIONS);
    const database = requiredDatabase(values);
    const request: Request = {
      unit: businessUnit(text(values['business-unit'])),
      id: text(values['id']),
      since: instant(text(values['since']), '--since'),
    };
    await run(request, (work) =>
      withStore(database, async (store) => {
        await store.read((tx) => refuseUnknownUnit(tx, request.unit));
        await work(store);
      }),
    );
  },
};

interface Request {
  readonly unit: string;
  readonly id: string | undefined;
  /** Ms since the epoch. */
  readonly since: number | undefined;
}

type Action = (
  request: Request,
  withStore: (work: (store: Store) => Promise<void>) => Promise<void>,
) => Promise<void>;

const actions: Readonly<Record<string, Action>> = {
  list: ({ unit, since = 0 }, open) =>
    open(async (store) => {
      let count = 0;
      for (let after: string | undefined = ''; after !== undefined;) {
        const page = await store.read((tx) => listWebhooks(tx, unit, since, { after: after ?? '' }));
        if (after === '')
          for (const { url, disabledAt } of page.disabled) print(`disabled  ${iso(disabledAt)}  ${url}`);
        for (const message of page.messages) await printed(`${line(message)}\n`);
        count += page.messages.length;
        after = page.messages.at(-1)?.id;
      }
      if (count === 0) process.stderr.write(`There are no messages of ${unit}.\n`);
    }),
  resend: ({ unit, id }, open) => {
    const which = required(id, '--id');
    return open(async (store) => {
      const sent = await store.transaction(async (tx) => resendWebhook(tx, unit, which, await now(tx)));
      if (!sent.ok)
        throw new ServiceError(
          'message_not_found',
          'This business unit has no message of that --id: see "webhooks list".',
        );

      print(`${which} is sent again.`);
    });
  },
  recover: ({ unit, since }, open) => {
    if (since === undefined) throw misused('--since is required.');
    return open(async (store) => {
      const total = await recoverAllWebhooks(store, unit, since, now);
      print(`${total} message${total === 1 ? ' is' : 's are'} sent again.`);
    });
  },
  enable: ({ unit }, open) =>
    open(async (store) => {
      const { urls } = await store.transaction((tx) => enableWebhooks(tx, unit));
      for (const url of urls) print(`${url} is called again.`);
      if (urls.length === 0) print(`No address of ${unit} is disabled.`);
    }),
};

/** The time on the clock of the services that share the database. */
async function now(tx: Parameters<typeof timeIn>[0]): Promise<number> {
  const env = (await tx.meta.get('environment')) === 'production' ? 'production' : 'staging';
  return timeIn(tx, { env, clock: movableClock(() => Date.now()) });
}

const iso = (ms: number): string => new Date(ms).toISOString();

function line({ id, createdAt, type, status, attempts, lastError }: OutboxMessage): string {
  return [id, iso(createdAt), type, status, `attempts ${attempts}`, ...(lastError ? [lastError] : [])].join(
    '  ',
  );
}
