// Which flow an SDK's event is about. Few SDKs say it: then an event is the only flow's that may still speak, and a
// late word of an earlier one is never another's verdict.
import type { FlowEvent } from './sdk.js';

/** What an SDK says itself of a flow, and what it is for it. */
const SAID: Record<FlowEvent['type'], 'progress' | 'verdict' | 'end' | null> = {
  opened: null,
  ready: 'progress',
  processing: 'progress',
  completed: 'verdict',
  expired: 'verdict',
  error: 'verdict',
  closed: 'end',
  unobservable: null,
};

/** A flow, as far as an SDK's events are concerned. */
export interface Speaker {
  readonly url: string;
  /** Off the page. What it still has to say may come. */
  isGone: boolean;
  hasVerdict: boolean;
  hear(type: FlowEvent['type'], detail: unknown, sessionId: string | undefined): void;
}

/** What is known of one SDK's flows and its way to speak of them. */
export interface Line {
  /** The flows that may still speak, oldest first. */
  speakers: Speaker[];
  /** What stops the listening. */
  offs: unknown[];
  /** The URLs of the sessions that it has named. */
  named: Map<string, string>;
  /** Its names for sessions are those in their URLs. */
  usesUrls?: boolean;
}

interface Emitter {
  on?(type: string, handler: (said: unknown) => void): unknown;
}

function whom(line: Line, type: FlowEvent['type'], sessionId: string | undefined): Speaker | undefined {
  const { speakers, named } = line;
  if (sessionId) {
    const isNamed = ({ url }: Speaker) => url.split(/[^\w.~-]/).includes(sessionId);
    line.usesUrls ||= speakers.some(isNamed);
    const known = named.get(sessionId);
    const speaker = speakers.filter((each) => isNamed(each) || each.url === known).pop();
    if (speaker || known || line.usesUrls) return speaker;
  }
  const [live, other] = speakers.filter(({ isGone }) => !isGone);
  // Several at once: each has a promise of its own, and this may be any one's.
  if (other) return undefined;
  const kind = SAID[type];
  const owes = ({ isGone, hasVerdict }: Speaker) =>
    isGone && (kind === 'end' || (kind === 'verdict' && !hasVerdict));
  return speakers.find(owes) ?? live;
}

function route(line: Line, type: FlowEvent['type'], said: unknown): void {
  let event: Partial<FlowEvent> = {};
  try {
    const { type: shaped, sessionId, detail } = Object(said) as Partial<FlowEvent>;
    event = { sessionId, detail: shaped ? detail : (detail ?? said) } as Partial<FlowEvent>;
  } catch {
    // What was said cannot be read; that it was said is known.
  }
  const speaker = whom(line, type, event.sessionId);
  if (!speaker) return;
  if (event.sessionId) line.named.set(event.sessionId, speaker.url);
  if (SAID[type] === 'verdict') speaker.hasVerdict = true;
  speaker.hear(type, event.detail, event.sessionId);
}

/** Listens anew, for an SDK may forget its listeners when a flow ends. */
export function listen(sdk: Emitter, line: Line): void {
  stop(sdk, line);
  const offs = (line.offs = [] as unknown[]);
  for (const type of Object.keys(SAID) as FlowEvent['type'][])
    try {
      if (SAID[type]) offs.push(sdk.on?.(type, (said) => line.offs === offs && route(line, type, said)));
    } catch {
      // An SDK may refuse the name of an event that it does not have.
    }
}

export function stop(sdk: Emitter, line: Line): void {
  for (const off of line.offs as (() => void)[])
    try {
      off?.call?.(sdk);
    } catch {
      // It listens no more, or what it says is not heard.
    }
  line.offs = [];
}
