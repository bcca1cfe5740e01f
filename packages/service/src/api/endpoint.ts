/** What every endpoint of the API does, in the order in which it is documented. */
import { hash } from 'node:crypto';
import {
  API_KEY_HEADER,
  IDEMPOTENCY_KEY_MAX_LENGTH,
  type ErrorItem,
  type Problem,
} from '@embedded-sessions/server-types';
import type { Read } from '@embedded-sessions/server-types/schemas';
import { timeIn } from '../platform/clock-offset.js';
import { unitOf } from '../platform/config/config.js';
import type { BusinessUnit } from '../platform/config/config.js';
import type { Deps } from '../deps.js';
import { ServiceError } from '../core/error.js';
import type { Origin } from '../webhooks/rules.js';
import { isRecord } from '../processor/rules/source.js';
import { IDEMPOTENCY_LIFETIME_MS } from '../core/store.js';
import type { Store, StoreTx } from '../core/store.js';
import { environmentPrefix } from '../platform/ids.js';
import type { Caller, KeyRing } from '../platform/keys/api-keys.js';
import { inexactNumbers } from './exact-numbers.js';
import type { Guesses } from '../platform/http/guesses.js';
import { refuseBrowser } from './auth.js';
import { readJson, type JsonBody } from '../platform/http/body.js';
import { patientStore, requestPatience } from '../platform/patience.js';
import type { Patience } from '../platform/patience.js';
import { success } from '../platform/http/envelope.js';
import { ConnectionDropped, delayed } from '../platform/faults.js';
import { guarded } from '../platform/http/guarded.js';
import { whenLate } from '../platform/in-time.js';
import type { RateLimit } from './rate-limit.js';

export interface Endpoint<T, A> {
  readonly path: string;
  /** Where the body names its business unit. */
  readonly slugField: 'BusinessUnitSlug' | 'businessUnitSlug';
  /** All problems of the fields at once. */
  read(body: unknown, unit: BusinessUnit | null): Read<T>;
  /** Where numbers are kept, and refused when they cannot be kept exactly. */
  readonly numbers?: RegExp;
  /**
   * Decides by what is stored, and stores; what it resolves is small and holds no secret. Acting once more finds what was
   * made under the same `sessionId`, or changes nothing.
   */
  act(tx: StoreTx, request: T, context: Acting): Promise<A>;
  /** The envelope's `data`, of a first answer and of a replay: made after the commit, so it may ask others. */
  answer(acted: A, answering: Answering): unknown;
  /** Headers of the answer, of a first one and of a replay. */
  headers?(acted: A, now: number): Record<string, string>;
  /** A query changes nothing, so it only reads and takes no idempotency key. */
  readonly idempotent: boolean;
}

export interface Acting {
  readonly unit: BusinessUnit;
  /** Ms since the epoch. */
  readonly now: number;
  /** For what the request makes, the same each time it is acted upon; of a session the whole id. */
  readonly sessionId: string;
  /** It was acted upon before, and nobody knows whether that was committed. */
  readonly repeated: boolean;
}

/** The request that is answered. */
export interface Answering {
  /** Its own: what a replay answers was made under another. */
  readonly sessionId: string;
  readonly origin: Origin;
  /** Which waits no longer than the request does. */
  readonly store: Pick<Store, 'read'>;
  /** How long it may still wait, for whatever it be, real ms. */
  readonly leftMs: () => number;
}

export interface Doors {
  readonly keys: KeyRing;
  readonly rates: RateLimit;
  readonly guesses: Guesses;
  /** Idempotency keys whose first request is still running in this process. */
  readonly running: Set<string>;
}

/** Learned on the way, for the log. */
export interface Trace {
  keyId?: string;
  businessUnit?: string;
  /** Of a refusal. */
  codes?: readonly string[];
}

export interface Asked {
  readonly request: Request;
  /** Where it came from. */
  readonly address: () => string;
  readonly origin: Origin;
  readonly trace: Trace;
}

export async function serveEndpoint<T, A>(
  service: Deps,
  doors: Doors,
  endpoint: Endpoint<T, A>,
  { request, address, origin, trace }: Asked,
): Promise<Response> {
  const { headers } = request;
  const patience = requestPatience();
  const faults = service.faults?.asOfNow();
  const store = patientStore(service.store, patience, origin);
  const deps = faults ? { ...service, faults, store } : { ...service, store };
  const knock = (): Promise<Caller> => authenticate(doors, headers.get(API_KEY_HEADER), address, patience);
  const body = await readFrom(request, knock);
  const caller = await knock();
  trace.keyId = caller.keyId;
  doors.rates.take(caller.keyHash);
  refuseBrowser(headers);
  const unit = findBusinessUnit(deps, caller, body.value, endpoint.slugField);
  if (unit !== null) trace.businessUnit = unit.slug;

  const idempotencyKey = endpoint.idempotent ? headers.get('idempotency-key') : null;
  const read = endpoint.read(body.value, unit);
  const found = read.ok ? [] : read.problems;
  const problems: ErrorItem[] = [
    ...found,
    ...checkNumbers(body.text, endpoint.numbers).filter(
      ({ field }) => !found.some((one) => one.field === field),
    ),
    ...checkIdempotencyKey(idempotencyKey),
  ];
  if (!read.ok || problems.length > 0 || unit === null) throw refusal(problems);

  const sessionId = deps.newId(environmentPrefix(deps.env));
  const act: Act<A> = (tx, now, repeated) => endpoint.act(tx, read.value, { unit, now, sessionId, repeated });
  const { acted, now } =
    idempotencyKey === null
      ? await commit(deps, endpoint, async (tx, repeated) => {
          const now = await timeIn(tx, deps);
          return { acted: await act(tx, now, repeated), now };
        })
      : await once(deps, doors, { caller, endpoint, key: idempotencyKey, bytes: body.bytes }, act);
  const answer = await endpoint.answer(acted, {
    sessionId,
    origin,
    store: deps.store,
    leftMs: patience.leftMs,
  });
  if (faults?.take('drop-after-commit', endpoint.path) !== undefined)
    throw new ConnectionDropped('dropped after the commit');
  return success(answer, guarded(origin.requestId, endpoint.headers?.(acted, now)));
}

/** How long a body may take before its sender has to have shown a key, real ms. */
const KEYLESS_MS = 1_000;

/** Whoever has no key does not get to hold a connection with a body that never comes. */
function readFrom(request: Request, knock: () => Promise<unknown>): Promise<JsonBody> {
  return whenLate(readJson(request), KEYLESS_MS, (reject) => void knock().catch(reject));
}

async function authenticate(
  { keys, guesses }: Doors,
  key: string | null,
  address: () => string,
  patience: Patience,
): Promise<Caller> {
  try {
    return await keys.authenticate(key, patience.wait);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_api_key') guesses.wrongKey(address());
    throw error;
  }
}

/** Null where the body names none, which is a problem of its fields. */
function findBusinessUnit(deps: Deps, caller: Caller, body: unknown, field: string): BusinessUnit | null {
  const slug = isRecord(body) && Object.hasOwn(body, field) ? body[field] : undefined;
  if (typeof slug !== 'string' || slug.trim() === '') return null;
  const unit = unitOf(deps.config, slug);
  if (unit === undefined || !caller.businessUnits.includes(slug))
    throw new ServiceError(
      'business_unit_forbidden',
      `The business unit named in ${field} does not exist, or is not one of this API key.`,
      { field },
    );
  return unit;
}

/** */
function checkNumbers(json: string, kept: RegExp | undefined): Problem[] {
  const message = 'This number cannot be kept exactly: send fewer digits, or a string where one may stand.';
  const inexact = kept === undefined ? [] : inexactNumbers(json).filter((field) => kept.test(field));
  return inexact.map((field) => ({ code: 'invalid', field, message }));
}

function checkIdempotencyKey(key: string | null): Problem[] {
  if (key === null) return [];
  const field = 'Idempotency-Key';
  if (key === '')
    return [{ code: 'invalid', field, message: 'The Idempotency-Key header must not be empty.' }];
  return key.length <= IDEMPOTENCY_KEY_MAX_LENGTH
    ? []
    : [
        {
          code: 'too_long',
          field,
          message: `The Idempotency-Key header takes at most ${IDEMPOTENCY_KEY_MAX_LENGTH} characters.`,
        },
      ];
}

/** An answer that names thousands of problems helps nobody but an attacker. */
const MOST_PROBLEMS = 1_000;

function refusal(problems: readonly ErrorItem[]): ServiceError {
  return new ServiceError('invalid', 'The request is invalid.', { errors: problems.slice(0, MOST_PROBLEMS) });
}

type Kind = Pick<Endpoint<unknown, unknown>, 'path' | 'idempotent'>;
type Work<A> = (tx: StoreTx, repeated: boolean) => Promise<Committed<A>>;
type Act<A> = (tx: StoreTx, now: number, repeated: boolean) => Promise<A>;

interface Attempt {
  readonly caller: Caller;
  readonly endpoint: Kind;
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** the record commits with what it records, so a refused request leaves none. */
async function once<A>(
  deps: Deps,
  { running }: Doors,
  { caller, endpoint, key, bytes }: Attempt,
  act: Act<A>,
): Promise<Committed<A>> {
  const { path } = endpoint;
  const name = JSON.stringify([caller.keyHash, path, key]);
  if (running.has(name))
    throw new ServiceError(
      'idempotency_in_flight',
      'The first request with this Idempotency-Key is still running: ask again in a moment.',
      { retryAfter: 1 },
    );
  running.add(name);
  try {
    const bodyHash = hash('sha256', bytes);
    const work: Work<A> = async (tx, repeated) => {
      const [now, earlier] = await Promise.all([
        timeIn(tx, deps),
        tx.idempotency.find(caller.keyHash, path, key),
      ]);
      if (earlier !== null && earlier.expiresAt > now) {
        if (earlier.bodyHash !== bodyHash)
          throw new ServiceError(
            'idempotency_key_reused',
            'This Idempotency-Key was used with another body: a new request needs a new key.',
          );
        return { acted: JSON.parse(earlier.answer) as A, now };
      }
      const acted = await act(tx, now, repeated);
      const expiresAt = now + IDEMPOTENCY_LIFETIME_MS;
      const answer = JSON.stringify(acted);
      await tx.idempotency.put({ apiKey: caller.keyHash, endpoint: path, key, bodyHash, answer, expiresAt });
      return { acted, now };
    };
    return await commit(deps, endpoint, work);
  } finally {
    running.delete(name);
  }
}

interface Committed<A> {
  readonly acted: A;
  /** When, ms since the epoch. */
  readonly now: number;
}

/** One transaction, with the faults that a test asked for before its commit. */
async function commit<A>(
  { faults, store }: Deps,
  { path, idempotent }: Kind,
  work: Work<A>,
): Promise<Committed<A>> {
  if (faults) await delayed(faults, path);
  const dropBefore = faults?.take('drop-before-commit', path) !== undefined;
  const droppable: Work<A> = async (tx, repeated) => {
    const done = await work(tx, repeated);
    if (dropBefore) throw new ConnectionDropped('dropped before the commit');
    return done;
  };
  return idempotent
    ? store.transaction(droppable, { repeatable: true })
    : store.read((tx) => droppable(tx, false));
}
