// Generates the pages of docs/errors from the explanations in codes/.
import { ERROR_STATUS, errorPage } from '@embedded-sessions/server-types';
import { LOADER } from './codes/loader.mjs';
import { REACT } from './codes/react.mjs';
import { SERVER } from './codes/server.mjs';
import { API, START } from './codes/service.mjs';
import { slug } from '../slug.mjs';

const NOTE = '<!-- Written by docs/generate.mjs from docs/errors/codes; do not edit by hand. -->';

/** Omits "not retryable", the default that the page mentions once. */
const conditions = (code, retryable) =>
  [
    code in ERROR_STATUS && `Status ${ERROR_STATUS[code]}. `,
    retryable !== 'no' && `Retryable: ${retryable}. `,
  ]
    .filter(Boolean)
    .join('');

const entry = ([code, { meaning, retryable, todo }]) => `### ${code}

${meaning}

${conditions(code, retryable)}**Fix.** ${todo}
`;
const section = (title, codes) => `## ${title}\n\n${Object.entries(codes).map(entry).join('\n')}`;
const page = (title, text, ...sections) => `# ${title}\n\n${NOTE}\n\n${text}\n\n${sections.join('\n')}`;

const list = (name, codes) =>
  `| [${name}](${name}.md) | ${Object.keys(codes)
    .map((code) => `[\`${code}\`](${name}.md#${slug(code)})`)
    .join(', ')} |`;

/** The text of each page by file name. */
export const ERROR_PAGES = {
  'index.md': page(
    'Errors',
    `Branch on \`code\` (loader, react, service) or \`kind\` (server), never on a message: messages can change.
[Common mistakes](mistakes.md) lists what the console says about each.

This site has no host yet, so messages and the OpenAPI document link to
[the page in the repository](${errorPage('service', 'client_reference_taken')}).

| package | codes |
|---|---|
${list('loader', LOADER)}
${list('react', REACT)}
${list('server', SERVER)}
${list('service', { ...API, ...START })}
`,
  ),
  'loader.md': page(
    'Errors of the loader',
    `Every rejection of \`@embedded-sessions/loader\` is a \`LoaderError\` with a \`code\`, a \`message\` that says what to do,
\`retryable\` and \`details\`. It contains at most the origin of a session's URL. The SDK script rejects with the same codes.

Codes are not retryable unless they say so.`,
    section('Codes', LOADER),
  ),
  'react.md': page(
    'Errors of the React bindings',
    `An \`EmbeddedPaymentError\` is never thrown. You get it as \`error\` of a hook, in a \`result\` with status \`failed\`, and in
\`onError\` and \`renderError\`. Its code is [one of the loader's](loader.md), or one of these.`,
    section('Codes', REACT),
  ),
  'server.md': page(
    'Errors of the server client',
    `Every rejection of \`@embedded-sessions/server\` is a \`ServiceError\`. Branch on its \`kind\`. \`errors\` holds the
service's errors, [each with a code](service.md), and \`attempts\` the result of each attempt.

Kinds are not retryable unless they say so. Of those that are, the client has already made \`maxRetries\` retries within
\`totalTimeoutMs\`.`,
    section('Kinds', SERVER),
  ),
  'service.md': page(
    'Errors of the service',
    `A response lists all problems in \`errors\`, each as \`{ code, message, field? }\`. Check \`hasErrors\` before \`data\`,
whatever the status.

Codes are not retryable unless they say so.`,
    section('Codes of the API', API),
    section('Why it does not start', START),
  ),
};
