import type { InspectorEvent } from '@shared/inspector.js';

export interface ErrorGroup {
  /** The message, with `…` for the parts that vary. */
  title: string;
  count: number;
  last: InspectorEvent;
}

/** Groups errors that differ only in ids, amounts and times, latest first. @param events newest first */
export function groupErrors(events: readonly InspectorEvent[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  for (const event of events) {
    if (event.level !== 'error') continue;
    const title = event.title.replace(/\$[\d.]+|\b(?:stg|dev)_[\w-]+|\b[\da-f]{8}-[\da-f-]{27}\b/g, '…');
    const group = groups.get(`${event.kind} ${title}`);
    if (group) group.count += 1;
    else groups.set(`${event.kind} ${title}`, { title, count: 1, last: event });
  }
  return [...groups.values()];
}
