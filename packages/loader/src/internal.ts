// Shared with `@embedded-sessions/react` only. It can change in any release.
export { parse, urlOf } from './environment.js';
export { withDocs } from './error.js';
export { presentationOf } from './flow.js';
export { notify } from './notify.js';
export { isPrerendering } from './timing.js';
export { untilAborted } from './until-aborted.js';
