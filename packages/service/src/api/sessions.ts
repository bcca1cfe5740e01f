/** The seven session endpoints. */
import {
  FLOWS,
  type AccountSessionRequest,
  type Charge,
  type ClientUser,
  type CustomerSessionRequest,
  type Flow,
  type PaymentSessionRequest,
  type Problem,
  type SessionRequests,
} from '@embedded-sessions/server-types';
import { readRequest, requestSchemas, type Read } from '@embedded-sessions/server-types/schemas';
import type { BusinessUnit } from '../config.js';
import type { Deps } from '../deps.js';
import { accountKey, accountsOfCharges, managedSync, type AccountKey } from '../domain/account-sync.js';
import { emailKey, type AccountFields } from '../domain/account.js';
import { introduced } from '../domain/customer.js';
import { ServiceError } from '../domain/error.js';
import type { AccountFlow, Session } from '../domain/session.js';
import type { StoreTx } from '../domain/store.js';
import { environmentPrefix } from '../ids.js';
import type { Endpoint } from './endpoint.js';

/** What is kept for a replay: enough to give the same answer, and no secret. */
export interface Created {
  readonly id: string;
  readonly secretKeyId: string;
  readonly status: string;
}

export function sessionEndpoint<F extends Flow>(deps: Deps, flow: F): Endpoint<SessionRequests[F], Created> {
  return {
    path: FLOWS[flow].endpoint,
    slugField: 'BusinessUnitSlug',
    idempotent: true,
    read: (body, unit) => readSession(flow, body, unit),
    act: async (tx, request, { unit, now }) => {
      const session = await createSession(deps, tx, flow, request, unit, now);
      return { id: session.id, secretKeyId: session.secretKeyId, status: session.status };
    },
    answer: ({ id, secretKeyId, status }) => ({
      PaymentSessionIdentifier: id,
      PaymentLogInLink: `${deps.publicUrl}/s/${id}#${deps.secrets.derive(secretKeyId, id)}`,
      Status: status,
    }),
  };
}

function readSession<F extends Flow>(
  flow: F,
  body: unknown,
  unit: BusinessUnit | null,
): Read<SessionRequests[F]> {
  const read = readRequest(requestSchemas[flow], body);
  if (flow !== 'payment' || unit === null) return read;
  const problems = [...(read.ok ? [] : read.problems), ...checkConfigured(body, unit)];
  return problems.length === 0 ? read : { ok: false, problems };
}

/** what the business unit's config decides, asked of whatever was sent. */
function checkConfigured(body: unknown, unit: BusinessUnit): Problem[] {
  const { Channel, PosUser, PaymentFields } = (body ?? {}) as Record<string, unknown>;
  const agent = typeof PosUser === 'string' ? emailKey(PosUser) : null;
  const forbidden =
    Channel === 'POS' &&
    agent !== null &&
    /^[^\s@]+@[^\s@]+$/.test(agent) &&
    !unit.agents.some(({ email, pos }) => pos && emailKey(email) === agent);
  const configured = new Set(unit.paymentFields.map(({ key }) => key));
  const given = typeof PaymentFields === 'object' && PaymentFields !== null ? Object.keys(PaymentFields) : [];
  return [
    ...(forbidden
      ? [
          {
            code: 'not_allowed' as const,
            field: 'PosUser',
            message: 'PosUser is not an agent with POS permission: have the operator grant it.',
          },
        ]
      : []),
    ...(Array.isArray(PaymentFields) ? [] : given)
      .filter((key) => !configured.has(key))
      .map((key) => ({
        code: 'not_allowed' as const,
        field: `PaymentFields.${key}`,
        message: `PaymentFields.${key} is not configured for this business unit: leave it out, or have the operator configure it.`,
      })),
  ];
}

async function createSession<F extends Flow>(
  deps: Deps,
  tx: StoreTx,
  flow: F,
  request: SessionRequests[F],
  unit: BusinessUnit,
  now: number,
): Promise<Session> {
  const base = {
    id: deps.newId(environmentPrefix(deps.env)),
    businessUnit: unit.slug,
    secretKeyId: deps.secrets.newest,
    createdAt: now,
    expiresAt: now + FLOWS[flow].lifetimeMs,
    declines: 0,
  };
  const sync = syncer(deps, tx, unit);
  const create = async (): Promise<Session> => {
    switch (flow) {
      case 'payment': {
        const payment = request as PaymentSessionRequest;
        await refuseTakenReference(tx, unit, payment.ClientReference);
        const accountIds: string[] = [];
        for (const { key, fields } of accountsOfCharges(payment.Charges))
          accountIds.push(await sync.account(key, () => fields));
        const customerId = payment.ClientUser && (await sync.customer(payment.ClientUser, accountIds));
        return {
          ...base,
          ...(customerId === undefined ? {} : { customerId }),
          flow,
          status: 'RequiresPaymentSource',
          request: shown(payment),
        };
      }
      case 'autopay':
      case 'paperless':
      case 'schedule-payment':
      case 'scheduled-payments': {
        const managed = request as AccountSessionRequest;
        const accountId = await sync.account(accountKey(managed.ClientAccount), (current) =>
          managedFields(current, managed),
        );
        const customerId = await sync.customer(managed.ClientUser, [accountId]);
        const accountFlow: AccountFlow = flow;
        return { ...base, flow: accountFlow, status: 'Open', accountId, customerId, request: managed };
      }
      case 'wallet':
      case 'notifications': {
        const own = request as CustomerSessionRequest;
        const customerId = await sync.customer(own.ClientUser, []);
        return { ...base, flow, status: 'Open', customerId, request: own };
      }
    }
  };
  const session = await create();
  await tx.sessions.insert(session);
  return session;
}

/** Writes accounts and customers of one request, and resolves their ids. */
function syncer(deps: Deps, tx: StoreTx, { slug: businessUnit }: BusinessUnit) {
  return {
    account: async (
      { accountNumber, subAccountNumber }: AccountKey,
      next: (current: AccountFields | null) => AccountFields,
    ): Promise<string> => {
      const found = await tx.accounts.find(businessUnit, accountNumber, subAccountNumber);
      const fields = next(found?.fields ?? null);
      if (found === null) {
        const id = deps.newId('acc_');
        await tx.accounts.insert({ id, businessUnit, accountNumber, subAccountNumber, fields });
        return id;
      }
      if (JSON.stringify(fields) !== JSON.stringify(found.fields))
        await tx.accounts.update({ ...found, fields });
      return found.id;
    },
    customer: async (user: ClientUser, accountIds: readonly string[]): Promise<string> => {
      const found = await tx.customers.find(businessUnit, user.EmailAddress);
      const id = found?.id ?? deps.newId('cus_');
      if (found === null) await tx.customers.insert({ id, businessUnit, ...introduced(user) });
      for (const accountId of accountIds) await tx.customers.associate(id, accountId);
      return id;
    },
  };
}

function managedFields(current: AccountFields | null, request: AccountSessionRequest): AccountFields {
  const decision = managedSync(current, request.ClientAccount, request.SyncAccount);
  switch (decision.type) {
    case 'write':
      return decision.fields;
    case 'keep':
      return current ?? {};
    case 'refuse':
      throw new ServiceError(
        'account_not_synced',
        'ClientAccount is new to the service: send SyncAccount: true, so that the account is created.',
        { field: 'SyncAccount' },
      );
  }
}

/** Two at once meet at the unique key; the loser runs again and finds the winner's here. */
async function refuseTakenReference(
  tx: StoreTx,
  unit: BusinessUnit,
  reference: string | undefined,
): Promise<void> {
  if (reference !== undefined && (await tx.sessions.findByReference(unit.slug, reference)) !== null)
    throw new ServiceError(
      'client_reference_taken',
      'ClientReference was used before: each payment session of a business unit needs a reference of its own.',
      { field: 'ClientReference' },
    );
}

/** D-2: custom account fields are not shown, so they are not kept either. */
function shown(request: PaymentSessionRequest): PaymentSessionRequest {
  const [first, ...rest] = request.Charges;
  return { ...request, Charges: [withoutCustomFields(first), ...rest.map(withoutCustomFields)] };
}

const SHOWN = [
  'AccountNumber',
  'SubAccountNumber',
  'Name',
  'Balance',
  'PhoneNumber',
  'DueDate',
  'IssueDate',
  'Note',
  'Address',
] as const;

function withoutCustomFields(charge: Charge): Charge {
  const { ClientAccount: sent } = charge;
  if (sent === undefined) return charge;
  const account = Object.fromEntries(
    SHOWN.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])),
  );
  return { ...charge, ClientAccount: account as NonNullable<Charge['ClientAccount']> };
}
