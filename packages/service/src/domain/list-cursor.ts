/** Where a page of a list ends: its last entry's place, in a text that means nothing to callers. */
import { isId } from './page-ids.js';

export interface Place {
  /** Ms since the epoch. */
  readonly createdAt: number;
  readonly id: string;
}

export function cursorAfter({ createdAt, id }: Place): string {
  return `${createdAt.toString(36)}.${id}`;
}

/** Null for what {@link cursorAfter} has not made. */
export function readCursor(cursor: string): Place | null {
  const [, time = '', id] = /^([0-9a-z]{1,11})\.(.+)$/.exec(cursor) ?? [];
  const createdAt = Number.parseInt(time, 36);
  return isId(id) && Number.isSafeInteger(createdAt) ? { createdAt, id } : null;
}
