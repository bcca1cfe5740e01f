// Replaces `undeclared-chunk.ts` in the script-tag build, which is a single file.
import * as undeclared from './undeclared.js';

export const loadUndeclared = async (): Promise<typeof undeclared> => undeclared;
