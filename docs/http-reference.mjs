// Generates docs/reference/http from the OpenAPI document of server-types: one page per endpoint.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './repository.mjs';
import { slug } from './slug.mjs';

const json = (value) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;
const nameOf = ($ref) => $ref.split('/').at(-1);
const media = ({ content }) => content['application/json'];

/** Describes a type and links its name. `schemas` is the page of the schemas. */
function typeOf(schema) {
  if (schema === false) return 'not allowed';
  if (schema.$ref) return `[${nameOf(schema.$ref)}](schemas.md#${nameOf(schema.$ref).toLowerCase()})`;
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return union.map(typeOf).join(' or ');
  if (schema.type === 'array') return schema.items === undefined ? 'list' : `list of ${typeOf(schema.items)}`;
  return [schema.type ?? 'any'].flat().join(' or ') + (schema.format ? ` (${schema.format})` : '');
}

const LIMITS = {
  minLength: '{} characters or more',
  maxLength: 'at most {} characters',
  minItems: 'at least {}',
  maxItems: 'at most {}',
  minimum: '≥ {}',
  maximum: '≤ {}',
};
const remarks = (field) => {
  // Optional fields may also be `null`: take the limits of the other alternative.
  const schema = { ...field.anyOf?.find(({ type }) => type !== 'null'), ...field };
  return [
    schema.description,
    ...Object.entries(LIMITS).flatMap(([key, words]) =>
      // Omit limits that say nothing: "required" implies one character, and no number exceeds the largest safe integer.
      schema[key] === undefined ||
      schema[key] === Number.MAX_SAFE_INTEGER ||
      (key === 'minLength' && schema[key] === 1)
        ? []
        : [words.replace('{}', schema[key])],
    ),
  ]
    .filter(Boolean)
    .join('; ')
    .replaceAll('.;', ';')
    .replaceAll('|', '\\|');
};

/** Renders the fields of a schema as a table. */
function fieldsOf(schema) {
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties ?? {}).map(
    ([key, value]) =>
      `| \`${key}\` | ${typeOf(value)} | ${required.has(key) ? 'required' : ''} | ${remarks(value)} |`,
  );
  if (rows.length === 0) return `${typeOf(schema)}\n`;
  return `| field | type | | |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

const headersOf = ({ headers = {} }) =>
  Object.entries(headers)
    .map(([name, { description }]) => `\`${name}\`: ${description}\n\n`)
    .join('');

/** Returns sample code that calls an endpoint with the server client. */
const CLIENT_METHODS = {
  createPaymentSession: 'payments.create(request)',
  createAutopaySession: 'autopay.create(request)',
  createWalletSession: 'wallet.create(request)',
  createPaperlessSession: 'paperless.create(request)',
  createSchedulePaymentSession: 'schedulePayment.create(request)',
  createScheduledPaymentsSession: 'scheduledPayments.create(request)',
  createNotificationsSession: 'notifications.create(request)',
  retrieveSession: 'sessions.retrieve(businessUnitSlug, sessionId)',
  refundPayment: 'payments.refund(request)',
  listPayments: 'payments.list(request)',
  cancelSession: 'sessions.cancel(businessUnitSlug, sessionId)',
  chargeAutopay: 'autopay.charge(request)',
  pushEvent: 'events.manageCustomer(event)',
};

const kebab = (name) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function operationPage(path, post, { schemas }) {
  const request = media(post.requestBody);
  const success = media(post.responses['200']);
  const method = CLIENT_METHODS[post.operationId];
  const curl = [
    `curl "$SERVICE_BASE_URL${path}" \\`,
    `  -H "X-Service-Api-Key: $SERVICE_API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    ...(post.parameters ? [`  -H "Idempotency-Key: your-key" \\`] : []),
    `  -d '${JSON.stringify(request.example, null, 2)}'`,
  ].join('\n');
  const refusals = Object.entries(post.responses)
    .filter(([status]) => status !== '200')
    .map(([status, { $ref }]) => `[${status}](errors.md#${slug(`${status} ${nameOf($ref)}`)})`);
  const schema = request.schema.$ref ? schemas[nameOf(request.schema.$ref)] : request.schema;
  return `# ${post.summary}

\`POST ${path}\`${method ? ` · \`client.${method}\`` : ''}

${post.description ? `${post.description}\n\n` : ''}## Request

Send your key in \`X-Service-Api-Key\`. ${post.parameters ? 'An `Idempotency-Key` makes retries safe for 24 hours.' : ''}

${fieldsOf(schema)}
\`\`\`sh
${curl}
\`\`\`

To try it, start \`npx embedded-sessions dev\` and use **Try** in [the inspector](../../inspector.md).

## Response

\`data\` is ${typeOf(success.schema.properties.data)}:

${json(success.example)}
${headersOf(post.responses['200'])}## Errors

${refusals.join(', ')}. [Every code](../../errors/service.md) says what to do.
`;
}

/** @returns {Record<string, string>} pages by path below docs */
export function httpReferencePages() {
  const { info, paths, webhooks, components, tags } = JSON.parse(
    readFileSync(join(ROOT, 'packages/server-types/dist/openapi.json'), 'utf8'),
  );
  const { responses, schemas } = components;
  const operations = Object.entries(paths).map(([path, { post }]) => [path, post]);
  const statusOf = Object.fromEntries(
    operations.flatMap(([, post]) =>
      Object.entries(post.responses).map(([status, { $ref }]) => [$ref && nameOf($ref), status]),
    ),
  );
  const groups = tags
    .map(({ name, description }) => ({
      name,
      description,
      operations: operations.filter(([, post]) => post.tags.includes(name)),
    }))
    .filter((group) => group.operations.length > 0);
  const lists = groups.map(
    (group) => `## ${group.name}

${group.description}

| | |
|---|---|
${group.operations.map(([path, post]) => `| [${post.summary}](${kebab(post.operationId)}.md) | \`POST ${path}\` |`).join('\n')}
`,
  );
  const event = webhooks.event.post;
  const refusals = Object.entries(responses).map(
    ([name, response]) => `## ${statusOf[name]} ${name}\n\n${response.description}\n\n${headersOf(response)}`,
  );
  const sections = Object.entries(schemas).map(
    ([name, schema]) =>
      `## ${name}\n\n${schema.description ? `${schema.description}\n\n` : ''}${fieldsOf(schema)}`,
  );
  return {
    'reference/http/index.md': `# HTTP API

${info.description}

Every request is a POST of JSON with your key in \`X-Service-Api-Key\`. Tools can read \`GET /openapi.json\` of a running service,
the output of \`embedded-sessions openapi\`, or \`@embedded-sessions/server-types/openapi.json\`.

${lists.join('\n')}
## Other pages

- [Webhook](webhook.md): what the service sends to you.
- [Errors](errors.md): every error response. Each [code](../../errors/service.md) has an explanation.
- [Schemas](schemas.md): every type.
`,
    ...Object.fromEntries(
      operations.map(([path, post]) => [
        `reference/http/${kebab(post.operationId)}.md`,
        operationPage(path, post, components),
      ]),
    ),
    'reference/http/webhook.md': `# Webhook

${event.summary}. [Verify it](../../webhooks.md#verify-a-webhook) before you use it.

${json(media(event.requestBody).example)}
\`data\` is [WebhookData](schemas.md#webhookdata).
`,
    'reference/http/errors.md': `# Error responses

Every [code](../../errors/service.md) has an explanation.

${refusals.join('\n')}`,
    'reference/http/schemas.md': `# Schemas

${sections.join('\n')}`,
  };
}
