import { tmpdir } from 'node:os';
import { ServiceError } from '../core/error.js';

/** Explains a write error in the temporary folder and how to fix it. */
export function temporaryUnwritable(cause: unknown): ServiceError {
  return new ServiceError(
    'invalid_arguments',
    `Nothing can be written in ${tmpdir()}, the folder for temporary files: ${(cause as Error).message}. Make room there, or set TMPDIR to another.`,
    { cause },
  );
}
