// Replaces `undeclared-chunk.ts` in the script-tag build. The code for SDKs without `protocol` is a second file, which
// registers itself: loaded from next to the first one, or by a tag of its own.
import { registry, type Registry } from './registry.js';
import { ownTag, runBeside } from './script.js';

/** Of the second file. Known when the first one is built. */
declare const UNDECLARED_INTEGRITY: string;

const FILE = 'embedded-sessions.undeclared.js';

/** What did not load, for an error. */
export const UNDECLARED = 'embedded-sessions.undeclared.js, next to embedded-sessions.iife.js,';

const own = ownTag();

export async function loadUndeclared(): Promise<Registry['undeclared']> {
  const page = registry();
  if (!page.undeclared && own) await runBeside(own, FILE, UNDECLARED_INTEGRITY);
  return page.undeclared;
}
