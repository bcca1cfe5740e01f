// docs/reference/http.md, written from the OpenAPI document of server-types.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './repository.mjs';
import { slug } from './slug.mjs';

const json = (value) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;
const nameOf = ($ref) => $ref.split('/').at(-1);
const media = ({ content }) => content['application/json'];

/** A type in words, with a link where it has a name. */
function typeOf(schema) {
  if (schema === false) return 'not allowed';
  if (schema.$ref) return `[${nameOf(schema.$ref)}](#${nameOf(schema.$ref).toLowerCase()})`;
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return union.map(typeOf).join(' or ');
  if (schema.type === 'array') return schema.items === undefined ? 'list' : `list of ${typeOf(schema.items)}`;
  return [schema.type ?? 'any'].flat().join(' or ') + (schema.format ? ` (${schema.format})` : '');
}

const LIMITS = {
  minLength: 'at least {} long',
  maxLength: 'at most {} long',
  minItems: 'at least {}',
  maxItems: 'at most {}',
  minimum: '≥ {}',
  maximum: '≤ {}',
};
const remarks = (schema) =>
  [
    schema.description,
    ...Object.entries(LIMITS).flatMap(([key, words]) =>
      schema[key] === undefined ? [] : [words.replace('{}', schema[key])],
    ),
  ]
    .filter(Boolean)
    .join('; ')
    .replaceAll('.;', ';')
    .replaceAll('|', '\\|');

function schemaSection([name, schema]) {
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties ?? {}).map(
    ([key, value]) =>
      `| \`${key}\` | ${typeOf(value)} | ${required.has(key) ? 'required' : ''} | ${remarks(value)} |`,
  );
  const table =
    rows.length === 0
      ? `${typeOf(schema)}\n`
      : `| field | type | | |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  return `### ${name}\n\n${schema.description ? `${schema.description}\n\n` : ''}${table}`;
}

const headersOf = ({ headers = {} }) =>
  Object.entries(headers)
    .map(([name, { description }]) => `\`${name}\`: ${description}\n\n`)
    .join('');

const operationSection = ([path, { post }]) => `### ${post.operationId}

\`POST ${path}\` · ${post.summary}.${post.parameters ? ' Takes an `Idempotency-Key`.' : ''}

${post.description ? `${post.description}\n\n` : ''}Takes ${typeOf(media(post.requestBody).schema)}:

${json(media(post.requestBody).example)}
Answers, in \`data\`, ${typeOf(media(post.responses['200']).schema.properties.data)}:

${json(media(post.responses['200']).example)}
${headersOf(post.responses['200'])}Refuses with ${Object.entries(post.responses)
  .filter(([status]) => status !== '200')
  .map(([status, { $ref }]) => `[${status}](#${slug(`${status} ${nameOf($ref)}`)})`)
  .join(', ')}.
`;

export function writeHttpReference() {
  const { info, paths, webhooks, components, tags } = JSON.parse(
    readFileSync(join(ROOT, 'packages/server-types/dist/openapi.json'), 'utf8'),
  );
  const { responses, schemas } = components;
  const operations = Object.entries(paths);
  const statusOf = Object.fromEntries(
    operations.flatMap(([, { post }]) =>
      Object.entries(post.responses).map(([status, { $ref }]) => [$ref && nameOf($ref), status]),
    ),
  );
  const groups = tags
    .map(({ name, description }) => [
      name,
      description,
      operations.filter(([, { post }]) => post.tags.includes(name)),
    ])
    .filter(([, , list]) => list.length > 0);
  const event = webhooks.event.post;
  writeFileSync(
    join(ROOT, 'docs/reference/http.md'),
    `# HTTP API

${info.description}

The same as a document for tools: \`GET /openapi.json\` of a running service, \`embedded-sessions openapi\`, or
\`@embedded-sessions/server-types/openapi.json\`. Every request carries \`X-Service-Api-Key\` and is a POST of JSON.

${groups.map(([name, description, list]) => `## ${name}\n\n${description}\n\n${list.map(operationSection).join('\n')}`).join('\n')}
## Webhook

${event.summary}. [How to take it](../webhooks.md).

${json(media(event.requestBody).example)}
## Refusals

Every [code](../errors/service.md) has a page of its own.

${Object.entries(responses)
  .map(
    ([name, response]) =>
      `### ${statusOf[name]} ${name}\n\n${response.description}\n\n${headersOf(response)}${json(media(response).example)}`,
  )
  .join('\n')}
## Schemas

${Object.entries(schemas).map(schemaSection).join('\n')}`,
  );
}
