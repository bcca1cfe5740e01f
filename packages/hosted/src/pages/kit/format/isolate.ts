import { isolateIn } from '@shared/format.js';

/** Isolates a name within a sentence of the page. See {@link isolateIn}. */
export function isolate(value: string): string {
  return isolateIn(globalThis.document?.dir, value);
}
