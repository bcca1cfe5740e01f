// Replaces `undeclared-chunk.ts` in the script-tag build, which is a single file.
import { undeclaredAdapter, untrusted } from './undeclared.js';

// A plain object, because the bundler's code for `import *` fails on a page that extends `Object.prototype`.
const undeclared: typeof import('./undeclared.js') = { undeclaredAdapter, untrusted };

export const loadUndeclared = async (): Promise<typeof undeclared> => undeclared;
