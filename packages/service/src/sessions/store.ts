import { sql, type RawBuilder, type Selectable, type Transaction } from 'kysely';
import { isId } from '../core/page-ids.js';
import { countParsed } from '../platform/context.js';
import type { Session } from './rules/session.js';
import type { Sessions, References } from '../core/store.js';
import { prepared, preparedInsert, preparedUpdate } from '../platform/databases/prepared.js';
import { recordsOf, every, first } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';

/** Not ended. Literal, because a bound value would keep SQLite from using the partial index. */
export const WAITING: RawBuilder<boolean> = sql<boolean>`status in ('RequiresPaymentSource', 'Open')`;

const head = prepared((tx, id: string) =>
  tx.selectFrom('sessions').select(['business_unit as businessUnit', 'flow']).where('id', '=', id),
);

const keyAfter = prepared((tx, id: string) =>
  tx.selectFrom('sessions').select('secret_key_id').where('id', '>', id).orderBy('id').limit(1),
);

type Row = Selectable<Tables['sessions']>;

/** The columns without the request, which can have 256 KiB. */
const HEAD = [
  'id',
  'business_unit',
  'flow',
  'status',
  'secret_key_id',
  'account_id',
  'customer_id',
  'declines',
  'abandoned',
  'automatic_payments',
  'created_at',
  'expires_at',
] as const;

const records = recordsOf<'sessions', Session>({ json: ['abandoned', 'automaticPayments'] });

const get = prepared((tx, id: string) =>
  tx
    .selectFrom('sessions')
    .select([...HEAD, 'request'])
    .where('id', '=', id),
);

const SHORT_REQUEST = sql<string>`case when octet_length(request) <= 16384 then request else '{}' end`.as(
  'request',
);

const REQUEST_BYTES = sql<number>`octet_length(request)`.as('bytes');

const peek = prepared((tx, id: string) =>
  tx
    .selectFrom('sessions')
    .select([...HEAD, SHORT_REQUEST, REQUEST_BYTES])
    .where('id', '=', id),
);

const requestBytes = prepared((tx, id: string) =>
  tx.selectFrom('sessions').select(REQUEST_BYTES).where('id', '=', id),
);

const insert = preparedInsert('sessions', {
  of: recordsOf<'sessions', Session & { readonly clientReference?: string | undefined }>({
    json: ['abandoned', 'automaticPayments', 'request'],
    columns: [...HEAD, 'client_reference', 'request'],
  }),
});
const update = preparedUpdate(
  'sessions',
  recordsOf<'sessions', Session>({
    json: ['abandoned'],
    columns: ['status', 'declines', 'customer_id', 'abandoned'],
  }),
);

const lock = prepared((tx, id: string) =>
  tx
    .updateTable('sessions')
    .set((row) => ({ status: row.ref('status') }))
    .where('id', '=', id)
    .returning([...HEAD, 'request']),
);

const countTry = prepared((tx, id: string, requestId: string) =>
  tx
    .updateTable('sessions')
    .set({
      tries: sql`tries + case when exists (
        select 1 from attempts where session_id = sessions.id and request_id = ${requestId}) then 0 else 1 end`,
    })
    .where('id', '=', id)
    .returning('tries'),
);

export function sessions(tx: Transaction<Tables>): Sessions {
  return {
    // Engines may reject malformed ids.
    get: async (id) => (isId(id) ? first(get(tx, id), session) : null),
    peek: async (id) => (isId(id) ? first(peek(tx, id), session) : null),
    head: async (id) =>
      isId(id) ? first(head(tx, id), (found) => found as Pick<Session, 'businessUnit' | 'flow'>) : null,
    insert: (session) =>
      insert(tx, {
        ...session,
        clientReference: session.flow === 'payment' ? session.request.ClientReference : undefined,
      }),
    lock: async <S extends Session>({ id }: S) => existing(await first(lock(tx, id), session)) as S,
    update: (session) => update(tx, session.id, session),
    countTry: async (id, requestId = '') =>
      existing(await first(countTry(tx, id, requestId), ({ tries }) => tries)),
    due: (now, limit) =>
      tx
        .selectFrom('sessions')
        .select('id')
        .where(WAITING)
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .execute(),
    stored: (afterId, limit) =>
      tx
        .selectFrom('sessions')
        .select(['id', 'created_at as createdAt', REQUEST_BYTES])
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit)
        .execute(),
    requestBytes: async (id) => (await first(requestBytes(tx, id), ({ bytes }) => bytes)) ?? 0,
    requestOf: async (id) => {
      const found = tx.selectFrom('sessions').select('request').where('id', '=', id);
      return (await found.executeTakeFirstOrThrow()).request;
    },
    replaceRequest: (id, request) =>
      tx.updateTable('sessions').set({ request }).where('id', '=', id).execute(),
    list: (businessUnit) =>
      every(
        tx
          .selectFrom('sessions')
          .select([...HEAD, 'request'])
          .where('business_unit', '=', businessUnit)
          .orderBy('id')
          .execute(),
        session,
      ),
    latest: (limit) =>
      every(
        tx
          .selectFrom('sessions')
          .select([...HEAD, SHORT_REQUEST])
          .orderBy('id', 'desc')
          .limit(limit)
          .execute(),
        session,
      ),
    secretKeyIds: async (afterIds, newest) => {
      const latest = await tx
        .selectFrom((from) =>
          from
            .selectFrom('sessions')
            .select('secret_key_id')
            .where('id', '>', afterIds[0])
            .orderBy('id', 'desc')
            .limit(newest)
            .as('latest'),
        )
        .select((of) => ['secret_key_id', of.fn.countAll<number>().as('count')])
        .groupBy('secret_key_id')
        .execute();
      const isAll = latest.reduce((sum, { count }) => sum + count, 0) < newest;
      const before = isAll ? [] : await Promise.all(afterIds.map((id) => keyAfter(tx, id)));
      return [...new Set([...latest, ...before.flat()].map((row) => row.secret_key_id))];
    },
  };
}

function existing<T>(found: T | null): T {
  if (found === null) throw new Error('The session does not exist.');
  return found;
}

/** The requests of stored sessions. */
const requests = new WeakMap<object, StoredRequest>();

interface StoredRequest {
  readonly json: string;
  /** Absent unless it was read together with the size. */
  readonly bytes?: number | undefined;
  parsed?: WeakRef<object>;
}

/** The size of a stored session's request, bytes, without parsing it. */
export function requestBytesOf(session: Session): number {
  const request = requests.get(session);
  return request === undefined ? 0 : (request.bytes ?? Buffer.byteLength(request.json));
}

/**
 * Parses the request on first use, so that strangers who know an id can't cause that cost. Keeps the result
 * weakly: it may take twenty times the memory of the text, and a payment can wait for the processor for seconds. One
 * getter for all sessions, because V8 turns objects with their own getter into slow dictionaries.
 */
const REQUEST: PropertyDescriptor & ThisType<object> = {
  enumerable: true,
  get() {
    const request = requests.get(this);
    if (request === undefined) return undefined;
    const known = request.parsed?.deref();
    if (known !== undefined) return known;

    if (request.parsed === undefined) countParsed(request.json.length);
    const parsed = JSON.parse(request.json) as object;
    request.parsed = new WeakRef(parsed);
    return parsed;
  },
};

type SessionRow = Pick<Row, (typeof HEAD)[number] | 'request'> & { readonly bytes?: number };

function session({ request, bytes, ...columns }: SessionRow): Session {
  const found = records.read(columns as Row);
  requests.set(found, { json: request, bytes });
  return Object.defineProperty(found, 'request', REQUEST);
}

// Processes of earlier releases write only the session.
const take = prepared(
  (_, businessUnit: string, reference: string) => sql<{ reference: string }>`
    insert into client_references (business_unit, reference)
    select cast(${businessUnit} as text), cast(${reference} as text)
    where not exists (
      select 1 from sessions where business_unit = ${businessUnit} and client_reference = ${reference})
    on conflict do nothing returning reference`,
);

export function references(tx: Transaction<Tables>): References {
  return {
    take: async (businessUnit, reference) => (await take(tx, businessUnit, reference)).length === 1,
  };
}
