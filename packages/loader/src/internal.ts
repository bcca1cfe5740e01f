// Shared with our other packages only. It can change in any release.
export { parse, urlOf } from './environment.js';
export { withDocs } from './error.js';
export { presentationOf } from './flow.js';
export { notify } from './attempt.js';
export { reserveModal } from './page-flows.js';
export { isPrerendering } from './timing.js';
export { untilAborted } from './error.js';
export { changesVerdict } from './verdict.js';
