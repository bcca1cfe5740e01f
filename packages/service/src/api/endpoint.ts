/** Handles an API request. The order of the checks is documented. */
import { hash } from 'node:crypto';
import {
  API_KEY_HEADER,
  IDEMPOTENCY_KEY_MAX_LENGTH,
  type ErrorItem,
  type Problem,
} from '@embedded-sessions/server-types';
import type { Read } from '@embedded-sessions/server-types/schemas';
import { timeIn } from '../platform/clock.js';
import { unitOf, type BusinessUnit } from '../platform/config/config.js';
import type { Deps } from '../deps.js';
import { ServiceError } from '../core/error.js';
import { isRecord } from '../processor/rules/source.js';
import { IDEMPOTENCY_LIFETIME_MS, type IdempotentResponse, type Store, type StoreTx } from '../core/store.js';
import { isMadeId } from '../platform/ids.js';
import { addToLog, currentContext, runInContext } from '../platform/context.js';
import { ID_PREFIXES } from '../shared/environment.js';
import type { Authenticate, Caller } from '../platform/keys/api-keys.js';
import { inexactNumbers, type NumberFields } from './exact-numbers.js';
import type { GuessLimits } from '../platform/http/buckets.js';
import { refuseBrowser } from './auth.js';
import { LARGE_BYTES, parseJson, readJsonBytes, type JsonBody } from '../platform/http/body.js';
import { json, successText, guarded } from '../platform/http/envelope.js';
import { ConnectionDropped, delayed } from '../platform/faults.js';
import { onDelay, limited, requestTimeLimit, type TimeLimit } from '../platform/timeouts.js';
import { NeedsLargeTurn, type Turns } from '../platform/turns.js';
import { costOf, costOfSize, type RateLimit } from './rate-limit.js';

export interface Endpoint<T, A> {
  readonly path: string;
  readonly slugField: 'BusinessUnitSlug' | 'businessUnitSlug';
  read(body: unknown, unit: BusinessUnit | null): Read<T>;
  /** Numbers that are stored. They are refused if a double can't represent them. */
  readonly numbers?: NumberFields;
  /** Performs the request in a transaction. Must be idempotent for the same `sessionId`. */
  act(tx: StoreTx, request: T, context: ActContext): Promise<A>;
  /** The part of a result to store for replays: small and without secrets. Default: all of it. */
  stored?(result: A): A;
  /**
   * Returns the envelope's `data`, for a first response and for replays. Runs after the commit, so it may call a processor.
   */
  respond(result: A, context: ResponseContext): unknown;
  /** Headers, for a first response and for replays. */
  headers?(result: A, now: number): Record<string, string>;
  /** False for queries: they only read, and ignore `Idempotency-Key`. */
  readonly idempotent: boolean;
}

export interface ActContext {
  readonly unit: BusinessUnit;
  /** Resolves to ms since the epoch. Await it together with other reads, which saves a round trip to the database. */
  readonly now: Promise<number>;
  /** The id of the session that the request creates, and the base of other ids. The same in every run. */
  readonly sessionId: string;
  /** Whether an earlier run may have been committed. */
  readonly repeated: boolean;
}

export interface ResponseContext {
  /** The id created for this request. A replayed result has another. */
  readonly sessionId: string;
  /** Fails once the request's time is up. */
  readonly store: Pick<Store, 'read'>;
  /** Time left for the request, real ms. */
  readonly leftMs: () => number;
}

export interface ApiState {
  readonly authenticate: Authenticate;
  readonly rates: RateLimit;
  readonly guessLimits: GuessLimits;
  /** Idempotency keys whose first request is still running in this process. */
  readonly running: Set<string>;
  readonly turns: Turns;
}

/** A request that costs as many tokens takes as long as ten others. */
const LARGE_COST = 10;

export async function serveEndpoint<T, A>(
  service: Deps,
  state: ApiState,
  endpoint: Endpoint<T, A>,
  request: Request,
  address: () => string,
): Promise<Response> {
  const timeLimit = requestTimeLimit();
  const incoming = { service, state, endpoint, request, address, timeLimit };
  const { result, now, deps, sessionId, callerHash, cost } = await perform(incoming);

  const { leftMs } = timeLimit;
  const data = await endpoint.respond(result, { sessionId, store: deps.store, leftMs });
  logSubject(data);
  if (isRecord(data) && typeof data['Status'] === 'string') addToLog({ outcome: data['Status'] });
  if (deps.faults?.take('drop-after-commit', endpoint.path) !== undefined)
    throw new ConnectionDropped('dropped after the commit');

  const text = successText(data);
  const length = Math.max(text.length, currentContext().parsed?.bytes ?? 0);
  state.rates.spend(callerHash, length, cost);
  return json(text, 200, guarded(currentContext().log.requestId, endpoint.headers?.(result, now)));
}

interface Incoming<T, A> {
  readonly service: Deps;
  readonly state: ApiState;
  readonly endpoint: Endpoint<T, A>;
  readonly request: Request;
  readonly address: () => string;
  readonly timeLimit: TimeLimit;
}

/** Admits the request and commits it. Only a few large ones may be parsed and not yet committed. */
async function perform<T, A>(incoming: Incoming<T, A>) {
  const { service, state, endpoint, timeLimit } = incoming;
  let release: (() => void) | undefined;
  const mayParse = async (owner: string): Promise<void> => {
    release = await state.turns.parse(owner, timeLimit);
  };
  try {
    const admitted = await admit(incoming, mayParse);
    const { value, unit, callerHash, replayKey } = admitted;

    const turn = { owner: callerHash, isLarge: admitted.cost >= LARGE_COST };
    const store = state.turns.storeOf(service.store, turn, timeLimit);
    const deps = limited({ ...service, store }, timeLimit);
    const sessionId = deps.newId(ID_PREFIXES[deps.env]);
    const call = { value, unit, endpoint, sessionId };
    let { cost } = admitted;
    // Before they are parsed, because hundreds of requests may arrive at once.
    const limitParsed = (length: number) => {
      cost = state.rates.takeMore(callerHash, length, cost);
      if (turn.isLarge || cost < LARGE_COST) return;

      const { parsed } = currentContext();
      if (parsed) parsed.bytes = 0;
      throw new NeedsLargeTurn();
    };
    const { result, now } = await runInContext({ ...currentContext(), limitParsed }, () =>
      replayKey === null ? commit(deps, call, null) : commitOnce(deps, state.running, call, replayKey),
    );
    return { result, now, deps, sessionId, callerHash, cost };
  } finally {
    release?.();
  }
}

/** All that is kept of a request while it waits. Ignored fields of its body may take twenty times their size. */
interface Admitted<T> {
  readonly callerHash: string;
  readonly value: T;
  readonly unit: BusinessUnit;
  readonly cost: number;
  readonly replayKey: ReplayKey | null;
}

async function admit<T, A>(
  { service, state, endpoint, request, address, timeLimit }: Incoming<T, A>,
  mayParse: (owner: string) => Promise<void>,
): Promise<Admitted<T>> {
  const key = request.headers.get(API_KEY_HEADER);
  const findCaller = () => authenticate(state, key, address, timeLimit);
  const { body, caller } = await receive(request, state.rates, findCaller, mayParse);
  service.watch?.received(body);
  refuseBrowser(request.headers);

  const unit = findBusinessUnit(service, caller, body.value, endpoint.slugField);
  if (unit !== null) addToLog({ businessUnit: unit.slug });
  logSubject(body.value);

  const apiKey = caller.hash;
  const idempotencyKey = endpoint.idempotent ? request.headers.get('idempotency-key') : null;
  const valid = readFields(endpoint, body, unit, idempotencyKey);
  const replayKey =
    idempotencyKey === null ? null : { apiKey, idempotencyKey, bodyHash: hash('sha256', body.bytes) };
  return { callerHash: apiKey, ...valid, cost: costOf(body), replayKey };
}

/** Authenticate a sender whose body takes longer than this, real ms. */
const UNAUTHENTICATED_BODY_MS = 1_000;

/**
 * Reads the body, then checks key and rate limit. Rejects slow uploads early if the key is wrong. Parses large bodies
 * only if the caller is within its limits.
 */
async function receive(
  request: Request,
  rates: RateLimit,
  authenticateCaller: () => Promise<Caller>,
  mayParse: (owner: string) => Promise<void>,
): Promise<{ body: JsonBody; caller: Caller }> {
  const bytes = await onDelay(
    readJsonBytes(request),
    UNAUTHENTICATED_BODY_MS,
    (reject) => void authenticateCaller().catch(reject),
  );
  if (bytes.length <= LARGE_BYTES) {
    const body = await parseJson(bytes);
    const caller = await authenticateCaller();
    rates.take(caller.hash, costOf(body));
    return { body, caller };
  }

  const caller = await authenticateCaller();
  const cost = costOfSize(bytes.length);
  rates.take(caller.hash, cost);
  if (cost > 1) await mayParse(caller.hash);
  const body = await parseJson(bytes);
  rates.take(caller.hash, costOf(body), cost);
  return { body, caller };
}

async function authenticate(
  { authenticate: find, guessLimits }: ApiState,
  key: string | null,
  address: () => string,
  timeLimit: TimeLimit,
): Promise<Caller> {
  try {
    const caller = await find(key, timeLimit.wait);
    addToLog({ keyId: caller.id });
    return caller;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_api_key') guessLimits.wrongKey(address());
    throw error;
  }
}

/** Returns null if the body names no business unit; validating its fields reports that. */
function findBusinessUnit(deps: Deps, caller: Caller, body: unknown, field: string): BusinessUnit | null {
  const slug = isRecord(body) && Object.hasOwn(body, field) ? body[field] : undefined;
  if (typeof slug !== 'string' || slug.trim() === '') return null;

  const unit = unitOf(deps.config, slug);
  if (unit === undefined || !caller.businessUnits.includes(slug))
    throw new ServiceError(
      'business_unit_forbidden',
      `The business unit in ${field} does not exist, or this API key cannot use it.`,
      { field },
    );
  return unit;
}

/** Limits the size of the response to a malicious request. */
const MAX_PROBLEMS = 1_000;

/** @throws ServiceError `invalid`, with every problem of the request */
function readFields<T>(
  endpoint: Pick<Endpoint<T, never>, 'read' | 'numbers'>,
  body: JsonBody,
  unit: BusinessUnit | null,
  idempotencyKey: string | null,
): { value: T; unit: BusinessUnit } {
  const read = endpoint.read(body.value, unit);
  const fieldProblems = read.ok ? [] : read.problems;
  const problems: ErrorItem[] = [
    ...fieldProblems,
    ...checkNumbers(body.text, endpoint.numbers, new Set(fieldProblems.map(({ field }) => field))),
    ...checkIdempotencyKey(idempotencyKey),
  ];
  if (!read.ok || problems.length > 0 || unit === null)
    throw new ServiceError('invalid', 'The request is invalid.', { errors: problems.slice(0, MAX_PROBLEMS) });

  return { value: read.value, unit };
}

/** Skips fields that have been refused. */
function checkNumbers(
  json: string,
  numberFields: NumberFields | undefined,
  refused: ReadonlySet<string | undefined>,
): Problem[] {
  if (numberFields === undefined) return [];

  const message =
    'This number cannot be stored exactly: send fewer digits, or a string if the field accepts one.';
  return inexactNumbers(json, numberFields)
    .filter((field) => !refused.has(field))
    .map((field) => ({ code: 'invalid', field, message }));
}

function checkIdempotencyKey(key: string | null): Problem[] {
  const field = 'Idempotency-Key';
  if (key === '')
    return [{ code: 'invalid', field, message: 'The Idempotency-Key header must not be empty.' }];
  if (key === null || key.length <= IDEMPOTENCY_KEY_MAX_LENGTH) return [];

  const message = `The Idempotency-Key header must have at most ${IDEMPOTENCY_KEY_MAX_LENGTH} characters.`;
  return [{ code: 'too_long', field, message }];
}

interface Call<T, A> {
  readonly endpoint: Endpoint<T, A>;
  readonly value: T;
  readonly unit: BusinessUnit;
  readonly sessionId: string;
}

interface Committed<A> {
  readonly result: A;
  readonly now: number;
}

type ReplayKey = Pick<IdempotentResponse, 'apiKey' | 'idempotencyKey' | 'bodyHash'>;

/** refuses a second request while the first is running in this process. */
async function commitOnce<T, A>(
  deps: Deps,
  running: Set<string>,
  call: Call<T, A>,
  replayKey: ReplayKey,
): Promise<Committed<A>> {
  const name = JSON.stringify([replayKey.apiKey, call.endpoint.path, replayKey.idempotencyKey]);
  if (running.has(name))
    throw new ServiceError(
      'idempotency_in_flight',
      'The first request with this Idempotency-Key is still running: retry in a moment.',
      { retryAfter: 1 },
    );

  running.add(name);
  try {
    return await commit(deps, call, replayKey);
  } finally {
    running.delete(name);
  }
}

/**
 * Runs the request in one transaction, which also stores its result for replays. So a refused request leaves nothing
 * behind.
 */
async function commit<T, A>(
  deps: Deps,
  { endpoint, value, unit, sessionId }: Call<T, A>,
  replayKey: ReplayKey | null,
): Promise<Committed<A>> {
  const { faults, store } = deps;
  const { path, idempotent } = endpoint;
  if (faults) await delayed(faults, path);
  const dropBefore = faults?.take('drop-before-commit', path) !== undefined;

  const work = async (tx: StoreTx, repeated: boolean): Promise<Committed<A>> => {
    const time = timeIn(tx, deps);
    // Awaited below, unless `act` fails first.
    time.catch(() => undefined);
    if (replayKey) {
      const earlier = await tx.idempotency.find(replayKey.apiKey, path, replayKey.idempotencyKey);
      const now = await time;
      if (earlier && earlier.expiresAt > now) return { result: replay(earlier, replayKey) as A, now };
    }

    const result = await endpoint.act(tx, value, { unit, now: time, sessionId, repeated });
    const now = await time;
    if (replayKey) {
      const expiresAt = now + IDEMPOTENCY_LIFETIME_MS;
      const stored = endpoint.stored?.(result) ?? result;
      await tx.idempotency.put({ ...replayKey, endpoint: path, answer: JSON.stringify(stored), expiresAt });
    }
    if (dropBefore) throw new ConnectionDropped('dropped before the commit');
    return { result, now };
  };

  return idempotent ? store.transaction(work, { repeatable: true }) : store.read((tx) => work(tx, false));
}

/** @throws ServiceError `idempotency_key_reused` if the first request had another body */
function replay({ bodyHash, answer: data }: IdempotentResponse, replayKey: ReplayKey): unknown {
  if (bodyHash === replayKey.bodyHash) return JSON.parse(data) as unknown;

  throw new ServiceError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with a different body: use a new key for a new request.',
  );
}

/** Logs the session and payment that a request names or creates. A request may name a key or a card number instead. */
function logSubject(fields: unknown): void {
  if (!isRecord(fields)) return;
  const { PaymentSessionIdentifier: sessionId, PaymentIdentifier: paymentId } = fields;
  if (isMadeId(sessionId)) addToLog({ sessionId });
  if (isMadeId(paymentId)) addToLog({ paymentId });
}
