/** What a merchant's backend pushes, as Zod schemas: the envelope of an event and the payload inside its string. */
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
import { isBag } from './rules.js';
import {
  component,
  email,
  exactly,
  identifier,
  optionalIdentifier,
  registry,
  requiredText,
  slug,
} from './values.js';

const NOT_JSON: Problem = {
  code: 'invalid',
  field: 'payload',
  message:
    "payload must be a string of JSON: the event's data through JSON.stringify, not the object itself.",
};

/** Zod schema of `ManageCustomerPayload`. */
export const manageCustomerPayloadSchema: z.ZodType<ManageCustomerPayload> = component(
  exactly<ManageCustomerPayload>()(
    z.object({
      accountNumber: identifier,
      subAccountNumber: optionalIdentifier,
      firstName: requiredText,
      lastName: requiredText,
      emailAddress: email,
      originalEmailAddress: email.optional(),
    }),
  ),
  'ManageCustomerPayload',
  { description: 'subAccountNumber is an empty string when not applicable.' },
);

/** Zod schema of `UnenrollAutopayPayload`. */
export const unenrollAutopayPayloadSchema: z.ZodType<UnenrollAutopayPayload> = component(
  exactly<UnenrollAutopayPayload>()(
    z.object({ accountNumber: identifier, subAccountNumber: optionalIdentifier }),
  ),
  'UnenrollAutopayPayload',
  { description: 'subAccountNumber is an empty string when the business unit has none.' },
);

/** Zod schema of `EventRequest`. */
export const eventRequestSchema: z.ZodType<EventRequest> = component(
  exactly<EventRequest>()(
    z.object({
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
    }),
  ),
  'EventRequest',
  { description: 'payload is a string of JSON, not an object.' },
);

/** The schema of each event's payload. */
export const payloadSchemas: { readonly [E in EventType]: z.ZodType<EventPayloads[E]> } = {
  'Accounts.ManageCustomer': manageCustomerPayloadSchema,
  'Accounts.UnenrollAutopay': unenrollAutopayPayloadSchema,
};

/** An event whose payload was read. */
export type ReadEvent = {
  [E in EventType]: { eventType: E; businessUnitSlug: string; payload: EventPayloads[E] };
}[EventType];

/** Errors of the payload carry the path that the caller knows: `payload.emailAddress`. */
const readPayload = (text: string, schema: z.ZodType): Read<{ payload: unknown }> => {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    return { ok: false, problems: [NOT_JSON] };
  }
  return readRequest(z.object({ payload: schema }), { payload });
};

/**
 * Reads a whole event: its envelope and the JSON inside `payload`, all problems at once, those of the payload under
 * `payload.…` (E-1, E-5).
 *
 * @example
 * const read = readEventRequest(await request.json());
 * if (read.ok && read.value.eventType === 'Accounts.UnenrollAutopay') unenroll(read.value.payload.accountNumber);
 */
export function readEventRequest(input: unknown): Read<ReadEvent> {
  const outer = readRequest(eventRequestSchema, input);
  const { eventType, payload } = isBag(input) ? input : {};
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
