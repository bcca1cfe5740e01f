/** Zod schemas of events: the envelope, and the payload in its JSON string. */
import { z } from 'zod';
import type {
  EventPayloads,
  EventRequest,
  EventType,
  ManageCustomerPayload,
  UnenrollAutopayPayload,
} from './events.js';
import type { Problem } from './envelope.js';
import { readRequest, type Read } from './read.js';
import { isJsonObject } from './rules.js';
import type { Normalized } from './session.js';
import {
  email,
  line,
  objectOf,
  optional,
  registry,
  requiredIdentifier,
  requiredLine,
  slug,
  subAccountNumber,
} from './values.js';

const NOT_JSON: Problem = {
  code: 'invalid',
  field: 'payload',
  message: "payload must be a JSON string: pass the event's data through JSON.stringify.",
};

/** Zod schema of `ManageCustomerPayload`. */
export const manageCustomerPayloadSchema: z.ZodType<Normalized<ManageCustomerPayload>> = objectOf(
  'ManageCustomerPayload',
  'subAccountNumber is empty if not applicable, lastName for a business.',
)({
  accountNumber: requiredIdentifier,
  subAccountNumber,
  firstName: requiredLine,
  lastName: line,
  emailAddress: email,
  originalEmailAddress: optional(email),
});

/** Zod schema of `UnenrollAutopayPayload`. */
export const unenrollAutopayPayloadSchema: z.ZodType<UnenrollAutopayPayload> = objectOf(
  'UnenrollAutopayPayload',
  'subAccountNumber is empty if the business unit has no sub-accounts.',
)({ accountNumber: requiredIdentifier, subAccountNumber });

/** Zod schema of `EventRequest`. */
export const eventRequestSchema: z.ZodType<EventRequest> = objectOf(
  'EventRequest',
  'payload is a JSON string, not an object.',
)({
  eventType: z.enum(['Accounts.ManageCustomer', 'Accounts.UnenrollAutopay']),
  payload: z.string().register(registry, {
    contentMediaType: 'application/json',
    contentSchema: {
      anyOf: [
        { $ref: '#/components/schemas/ManageCustomerPayload' },
        { $ref: '#/components/schemas/UnenrollAutopayPayload' },
      ],
    },
  }),
  businessUnitSlug: slug,
});

/** The schema of each event's payload. */
export const payloadSchemas: { readonly [E in EventType]: z.ZodType<Normalized<EventPayloads[E]>> } = {
  'Accounts.ManageCustomer': manageCustomerPayloadSchema,
  'Accounts.UnenrollAutopay': unenrollAutopayPayloadSchema,
};

/** An event with its parsed payload. */
export type ReadEvent = {
  [E in EventType]: { eventType: E; businessUnitSlug: string; payload: Normalized<EventPayloads[E]> };
}[EventType];

/** Parses the payload. Its errors have paths such as `payload.emailAddress`. */
const readPayload = (json: string, schema: z.ZodType): Read<{ payload: unknown }> => {
  let payload: unknown;
  try {
    payload = JSON.parse(json);
  } catch {
    return { ok: false, problems: [NOT_JSON] };
  }

  return readRequest(z.object({ payload: schema }), { payload });
};

/**
 * Reads an event: its envelope and the JSON in `payload`. Returns every problem of both. Problems of the payload have
 * paths under `payload.` (E-1, E-5).
 *
 * @example
 * const read = readEventRequest(await request.json());
 * if (read.ok && read.value.eventType === 'Accounts.UnenrollAutopay') unenroll(read.value.payload.accountNumber);
 */
export function readEventRequest(input: unknown): Read<ReadEvent> {
  const outer = readRequest(eventRequestSchema, input);
  const { eventType, payload } = isJsonObject(input) ? input : {};
  const schema =
    typeof eventType === 'string' && Object.hasOwn(payloadSchemas, eventType)
      ? payloadSchemas[eventType as EventType]
      : z.unknown();

  const inner = typeof payload === 'string' ? readPayload(payload, schema) : undefined;
  if (outer.ok && inner?.ok === true)
    return { ok: true, value: { ...outer.value, ...inner.value } as ReadEvent };

  const problems = [outer, inner].flatMap((read) => (read?.ok === false ? read.problems : []));
  return {
    ok: false,
    problems: problems.map((problem) =>
      problem.field === 'payload' && problem.code === 'invalid' ? NOT_JSON : problem,
    ),
  };
}
