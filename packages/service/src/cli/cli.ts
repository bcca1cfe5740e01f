#!/usr/bin/env node
import { ServiceError } from '../core/error.js';
import { commandLine } from './command-line.js';

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`embedded-sessions: Cannot write to stdout: ${error.message}\n`);
  process.exit(1);
});

commandLine(process.argv.slice(2)).catch((error: unknown) => {
  const why =
    error instanceof ServiceError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`embedded-sessions: ${why}\n`);
  process.exit(1);
});
