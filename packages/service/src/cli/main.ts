import { ServiceError } from '../core/error.js';
import { commandLine } from './command-line.js';

export function main(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Readers such as `head` may close the pipe early.
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`embedded-sessions: Cannot write to stdout: ${error.message}\n`);
    process.exit(1);
  });

  commandLine(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`embedded-sessions: ${describe(error)}\n`);
    // Calls back once the reader has everything that was printed before.
    process.stdout.write('', () => process.exit(1));
  });
}

function describe(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  return (error instanceof Error && error.stack) || String(error);
}
