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
import { component, email, exactly, identifier, optionalIdentifier, requiredText, slug } from './values.js';

const PAYLOAD_KIND =
  "payload must be a string of JSON: the event's data through JSON.stringify, not the object itself.";

export const manageCustomerPayloadSchema: z.ZodType<ManageCustomerPayload> = component(
  exactly<ManageCustomerPayload>()(
    z.object({
      accountNumber: identifier,
      subAccountNumber: optionalIdentifier,
      firstName: requiredText,
      lastName: requiredText,
      emailAddress: email,
      originalEmailAddress: email.exactOptional(),
    }),
  ),
  'ManageCustomerPayload',
  { description: 'subAccountNumber is an empty string when not applicable.' },
);

export const unenrollAutopayPayloadSchema: z.ZodType<UnenrollAutopayPayload> = component(
  exactly<UnenrollAutopayPayload>()(
    z.object({ accountNumber: identifier, subAccountNumber: optionalIdentifier }),
  ),
  'UnenrollAutopayPayload',
  { description: 'subAccountNumber is an empty string when the business unit has none.' },
);

export const eventRequestSchema: z.ZodType<EventRequest> = component(
  exactly<EventRequest>()(
    z.object({
      eventType: z.enum(['Accounts.ManageCustomer', 'Accounts.UnenrollAutopay']),
      payload: z.string({ error: (issue) => (issue.input === undefined ? undefined : PAYLOAD_KIND) }),
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

const readPayload = (text: string, schema: z.ZodType): Read<unknown> => {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    return { ok: false, problems: [{ code: 'invalid', message: PAYLOAD_KIND, field: 'payload' }] };
  }
  const read = readRequest(schema, payload);
  if (read.ok) return read;
  const problems = read.problems.map((problem) => ({
    ...problem,
    field: problem.field === undefined ? 'payload' : `payload.${problem.field}`,
  }));
  return { ok: false, problems };
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
  const problems: Problem[] = outer.ok ? [] : outer.problems;
  const { eventType, payload } = isBag(input) ? input : {};
  if (
    typeof payload !== 'string' ||
    typeof eventType !== 'string' ||
    !Object.hasOwn(payloadSchemas, eventType)
  )
    return { ok: false, problems };
  const inner = readPayload(payload, payloadSchemas[eventType as EventType]);
  if (!inner.ok) return { ok: false, problems: [...problems, ...inner.problems] };
  return outer.ok
    ? { ok: true, value: { ...outer.value, payload: inner.value } as ReadEvent }
    : { ok: false, problems };
}
