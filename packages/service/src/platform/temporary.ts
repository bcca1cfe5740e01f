import { tmpdir } from 'node:os';
import { ServiceError } from '../core/error.js';

/** Explains a write error in the temporary folder and how to fix it. */
export function temporaryUnwritable(cause: unknown): ServiceError {
  return new ServiceError(
    'invalid_arguments',
    `Cannot write to ${tmpdir()}, the folder for temporary files: ${(cause as Error).message}. Free some space, or set TMPDIR to another folder.`,
    { cause },
  );
}
