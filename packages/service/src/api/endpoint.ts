/** The steps of every API request, in the documented order of checks. */
import { hash } from 'node:crypto';
import {
  API_KEY_HEADER,
  IDEMPOTENCY_KEY_MAX_LENGTH,
  type ErrorItem,
  type Problem,
} from '@embedded-sessions/server-types';
import type { Read } from '@embedded-sessions/server-types/schemas';
import { timeIn } from '../platform/clock-offset.js';
import { unitOf, type BusinessUnit } from '../platform/config/config.js';
import type { Deps } from '../deps.js';
import { ServiceError } from '../core/error.js';
import { isRecord } from '../processor/rules/source.js';
import { IDEMPOTENCY_LIFETIME_MS, type IdempotentResponse, type Store, type StoreTx } from '../core/store.js';
import { defined } from '../core/defined.js';
import { isId } from '../core/page-ids.js';
import { addToLog, currentContext } from '../platform/context.js';
import { environmentPrefix } from '../platform/ids.js';
import type { Caller, KeyRing } from '../platform/keys/api-keys.js';
import { inexactNumbers, type KeptNumbers } from './exact-numbers.js';
import type { GuessLimits } from '../platform/http/guess-limits.js';
import { refuseBrowser } from './auth.js';
import { LARGE_BYTES, parseJson, readJsonBytes, type JsonBody } from '../platform/http/body.js';
import { limited, requestTimeLimit, type TimeLimit } from '../platform/time-limit.js';
import { json, successText } from '../platform/http/envelope.js';
import { ConnectionDropped, delayed } from '../platform/faults.js';
import { guarded } from '../platform/http/guarded.js';
import { whenLate } from '../platform/in-time.js';
import { costOf, costOfSize, type RateLimit } from './rate-limit.js';

export interface Endpoint<T, A> {
  readonly path: string;
  /** The body's field that names the business unit. */
  readonly slugField: 'BusinessUnitSlug' | 'businessUnitSlug';
  /** Returns every problem of the fields. */
  read(body: unknown, unit: BusinessUnit | null): Read<T>;
  /** Numbers that are stored, and refused if a double would change them. */
  readonly numbers?: KeptNumbers;
  /**
   * Reads, decides and writes. The result is small and contains no secret. Must be idempotent for the same
   * `sessionId`.
   */
  act(tx: StoreTx, request: T, context: ActContext): Promise<A>;
  /**
   * The envelope's `data`, for a first response and for a replay. Runs after the commit, so it may call a processor.
   */
  answer(acted: A, context: AnswerContext): unknown;
  /** Headers of a first response and of a replay. */
  headers?(acted: A, now: number): Record<string, string>;
  /** A query changes nothing, so it only reads and takes no idempotency key. */
  readonly idempotent: boolean;
}

export interface ActContext {
  readonly unit: BusinessUnit;
  /** Ms since the epoch. */
  readonly now: number;
  /** The id of the session that the request creates; other ids derive from it. The same in each run. */
  readonly sessionId: string;
  /** True if an earlier run may have been committed. */
  readonly repeated: boolean;
}

export interface AnswerContext {
  /** The id created for this request; a replayed result has another one. */
  readonly sessionId: string;
  /** Fails once the request's time is up. */
  readonly store: Pick<Store, 'read'>;
  /** The rest of the request's time, real ms. */
  readonly leftMs: () => number;
}

/** The state that all API requests of a process share. */
export interface ApiState {
  readonly keys: KeyRing;
  readonly rates: RateLimit;
  readonly guessLimits: GuessLimits;
  /** Idempotency keys whose first request is still running in this process. */
  readonly running: Set<string>;
}

/** @param address the caller's network address */
export async function serveEndpoint<T, A>(
  service: Deps,
  state: ApiState,
  endpoint: Endpoint<T, A>,
  request: Request,
  address: () => string,
): Promise<Response> {
  const timeLimit = requestTimeLimit();
  const faults = defined({ faults: service.faults?.asOfNow() });
  const deps = limited<Deps>({ ...service, ...faults }, timeLimit);

  const key = request.headers.get(API_KEY_HEADER);
  const { body, caller } = await receive(request, state.rates, () =>
    authenticate(state, key, address, timeLimit),
  );
  refuseBrowser(request.headers);

  const unit = findBusinessUnit(deps, caller, body.value, endpoint.slugField);
  if (unit !== null) addToLog({ businessUnit: unit.slug });
  logSubject(body.value);

  const idempotencyKey = endpoint.idempotent ? request.headers.get('idempotency-key') : null;
  const valid = readFields(endpoint, body, unit, idempotencyKey);

  const sessionId = deps.newId(environmentPrefix(deps.env));
  const call = { ...valid, endpoint, sessionId };
  const { acted, now } =
    idempotencyKey === null
      ? await commit(deps, call, null)
      : await commitOnce(deps, state.running, call, {
          apiKey: caller.keyHash,
          key: idempotencyKey,
          bodyHash: hash('sha256', body.bytes),
        });

  const { leftMs } = timeLimit;
  const answer = await endpoint.answer(acted, { sessionId, store: deps.store, leftMs });
  logSubject(answer);
  if (isRecord(answer) && typeof answer['Status'] === 'string') addToLog({ outcome: answer['Status'] });
  if (deps.faults?.take('drop-after-commit', endpoint.path) !== undefined)
    throw new ConnectionDropped('dropped after the commit');

  const text = successText(answer);
  state.rates.spend(caller.keyHash, text, costOf(body));
  return json(text, 200, guarded(currentContext().log.requestId, endpoint.headers?.(acted, now)));
}

/** Time limit for a body until its sender has shown a valid key, real ms. */
const KEYLESS_MS = 1_000;

/**
 * Reads the body, then checks key and rate. Rejects a slow upload early if its key is wrong, and parses a large body
 * only for a caller within its limits.
 */
async function receive(
  request: Request,
  rates: RateLimit,
  authenticateCaller: () => Promise<Caller>,
): Promise<{ body: JsonBody; caller: Caller }> {
  const bytes = await whenLate(
    readJsonBytes(request),
    KEYLESS_MS,
    (reject) => void authenticateCaller().catch(reject),
  );
  if (bytes.length <= LARGE_BYTES) {
    const body = await parseJson(bytes);
    const caller = await authenticateCaller();
    rates.take(caller.keyHash, costOf(body));
    return { body, caller };
  }

  const caller = await authenticateCaller();
  const cost = costOfSize(bytes);
  rates.take(caller.keyHash, cost);
  const body = await parseJson(bytes);
  rates.take(caller.keyHash, costOf(body) - cost);
  return { body, caller };
}

async function authenticate(
  { keys, guessLimits }: ApiState,
  key: string | null,
  address: () => string,
  timeLimit: TimeLimit,
): Promise<Caller> {
  try {
    const caller = await keys.authenticate(key, timeLimit.wait);
    addToLog({ keyId: caller.keyId });
    return caller;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_api_key') guessLimits.wrongKey(address());
    throw error;
  }
}

/** Returns null if the body names no business unit, which is a problem of its fields. */
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

/** Bounds the size of a response to a malicious request. */
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

/** Skips fields that are refused already. */
function checkNumbers(
  json: string,
  kept: KeptNumbers | undefined,
  refused: ReadonlySet<string | undefined>,
): Problem[] {
  if (kept === undefined) return [];

  const message =
    'This number cannot be stored exactly: send fewer digits, or a string if the field accepts one.';
  return inexactNumbers(json, kept)
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

/** A request that has passed every check. */
interface Call<T, A> {
  readonly endpoint: Endpoint<T, A>;
  readonly value: T;
  readonly unit: BusinessUnit;
  readonly sessionId: string;
}

interface Committed<A> {
  readonly acted: A;
  /** Ms since the epoch. */
  readonly now: number;
}

/** The first request with an idempotency key stores its response under these. */
type AnswerKey = Pick<IdempotentResponse, 'apiKey' | 'key' | 'bodyHash'>;

/** refuses a second request while the first one runs in this process. */
async function commitOnce<T, A>(
  deps: Deps,
  running: Set<string>,
  call: Call<T, A>,
  answerKey: AnswerKey,
): Promise<Committed<A>> {
  const name = JSON.stringify([answerKey.apiKey, call.endpoint.path, answerKey.key]);
  if (running.has(name))
    throw new ServiceError(
      'idempotency_in_flight',
      'The first request with this Idempotency-Key is still running: retry in a moment.',
      { retryAfter: 1 },
    );

  running.add(name);
  try {
    return await commit(deps, call, answerKey);
  } finally {
    running.delete(name);
  }
}

/**
 * Acts in one transaction. The stored response commits with what it records, so a refused request leaves none.
 */
async function commit<T, A>(
  deps: Deps,
  { endpoint, value, unit, sessionId }: Call<T, A>,
  answerKey: AnswerKey | null,
): Promise<Committed<A>> {
  const { faults, store } = deps;
  const { path, idempotent } = endpoint;
  if (faults) await delayed(faults, path);
  const dropBefore = faults?.take('drop-before-commit', path) !== undefined;

  const work = async (tx: StoreTx, repeated: boolean): Promise<Committed<A>> => {
    const [now, earlier] = await Promise.all([
      timeIn(tx, deps),
      answerKey && tx.idempotency.find(answerKey.apiKey, path, answerKey.key),
    ]);
    if (answerKey && earlier && earlier.expiresAt > now)
      return { acted: replay(earlier, answerKey) as A, now };

    const acted = await endpoint.act(tx, value, { unit, now, sessionId, repeated });
    if (answerKey) {
      const expiresAt = now + IDEMPOTENCY_LIFETIME_MS;
      await tx.idempotency.put({ ...answerKey, endpoint: path, answer: JSON.stringify(acted), expiresAt });
    }
    if (dropBefore) throw new ConnectionDropped('dropped before the commit');
    return { acted, now };
  };

  return idempotent ? store.transaction(work, { repeatable: true }) : store.read((tx) => work(tx, false));
}

/** @throws ServiceError `idempotency_key_reused` if the stored response belongs to another body */
function replay({ bodyHash, answer }: IdempotentResponse, answerKey: AnswerKey): unknown {
  if (bodyHash === answerKey.bodyHash) return JSON.parse(answer) as unknown;

  throw new ServiceError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with a different body: use a new key for a new request.',
  );
}

/** Logs the session and payment that a request names or creates. */
function logSubject(fields: unknown): void {
  if (!isRecord(fields)) return;
  const { PaymentSessionIdentifier: sessionId, PaymentIdentifier: paymentId } = fields;
  if (isId(sessionId)) addToLog({ sessionId });
  if (isId(paymentId)) addToLog({ paymentId });
}
