// Shared with our other packages only. It can change in any release.
export { notify } from './attempt.js';
export { parse, urlOf } from './environment.js';
export { untilAborted, withDocs } from './error.js';
export { presentationOf } from './flow.js';
export { reserveModal } from './page-flows.js';
export { isPrerendering } from './timing.js';
export { changesVerdict } from './verdict.js';
