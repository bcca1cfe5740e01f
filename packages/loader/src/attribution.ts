// Which flow an SDK's event is about. Few SDKs say it: then it is the only flow's that may still speak, and a late word
// of an earlier one is never another's verdict.
import { attempt } from './attempt.js';
import { MEANING, type FlowEvent } from './sdk.js';

/** A flow, as far as an SDK's events are concerned. */
export interface Speaker {
  readonly url: string;
  /** What the SDK calls its session. */
  id?: string | undefined;
  /** Off the page; what it still has to say may come. */
  isGone: boolean;
  isClosed: boolean;
  isInFlight: boolean;
  hasVerdict: boolean;
  hear(type: FlowEvent['type'], detail: unknown): void;
}

/** All flows of one SDK, oldest first, and what stops the listening. */
export interface Line {
  speakers: Speaker[];
  offs: unknown[];
}

interface Emitter {
  on?(type: string, handler: (said: unknown) => void): unknown;
}

function whom(speakers: Speaker[], type: FlowEvent['type'], id: string | undefined): Speaker | undefined {
  const named = speakers.filter((each) => id && (each.id === id || each.url.split(/[^\w.~-]/).includes(id)));
  if (named[0]) return named.pop();
  const [live, other] = speakers.filter(({ isGone }) => !isGone);
  const owing = speakers.find(
    ({ isGone, isClosed, isInFlight, hasVerdict }) =>
      isGone &&
      (type === 'closed' ? !isClosed : MEANING[type].isVerdict && !hasVerdict && (!isClosed || isInFlight)),
  );
  const speaker = owing ?? live;
  // Of several at once each has a promise of its own; and what has another name is another.
  return other || (id && speaker?.id) ? undefined : speaker;
}

function route(speakers: Speaker[], type: FlowEvent['type'], said: unknown): void {
  let id: string | undefined;
  let detail: unknown;
  try {
    const event = Object(said) as Partial<FlowEvent>;
    id = event.sessionId;
    detail = event.type ? event.detail : (event.detail ?? said);
  } catch {
    // What was said cannot be read; that it was said is known.
  }
  const speaker = whom(speakers, type, id);
  if (!speaker) return;
  speaker.id = id ?? speaker.id;
  const { isInFlight = speaker.isInFlight, isVerdict = false } = MEANING[type];
  speaker.isInFlight = isInFlight;
  speaker.isClosed ||= type === 'closed';
  speaker.hasVerdict ||= isVerdict;
  if (!speaker.isGone) speaker.hear(type, detail);
}

/** Listens anew for each flow: an SDK may forget its listeners when one ends. */
export function listen(sdk: Emitter, line: Line): void {
  // First, for some have one listener to an event, and would let go of the new one. An SDK may refuse to let go of one, or
  // the name of an event that it does not have.
  for (const off of line.offs as (() => void)[]) attempt(() => off?.call?.(sdk));
  const types = (Object.keys(MEANING) as FlowEvent['type'][]).filter((type) => MEANING[type].isSaid);
  const offs: unknown[] = [];
  for (const type of types)
    offs.push(
      attempt(() => sdk.on?.(type, (said) => line.offs === offs && route(line.speakers, type, said))),
    );
  // Not before: some say at once again what they said last, and that was of an earlier flow.
  line.offs = offs;
}
