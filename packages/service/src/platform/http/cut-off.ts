import type { Socket } from 'node:net';

/** Node's parser. Its callbacks are numbered properties, and `onIncoming` for complete headers. */
interface Parser extends Record<number, unknown> {
  onIncoming: () => number;
  readonly constructor: { readonly kOnBody: number };
}

/** Makes the parser stop, as after an upgrade. */
const STOP = 2;

/**
 * Ends a connection immediately, of a server or a client. Node would still parse the rest of a read and call back
 * for every request and chunk in it: 10,000 times in 64 KiB. Removes the callback for chunks, so the parser skips them. The
 * next request stops it.
 */
export function cutOff(socket: Socket & { readonly parser?: Parser | null }): void {
  const { parser, destroyed } = socket;
  if (destroyed || !parser) return;
  socket.destroy();
  const { kOnBody } = parser.constructor;
  const onBody = parser[kOnBody];
  parser[kOnBody] = undefined;
  parser.onIncoming = () => STOP;
  // Node reuses the parser for another connection and sets `onIncoming` then, but not this callback. `close` comes before
  // that connection is read, even if the response was complete and Node has freed the parser already.
  socket.once('close', () => (parser[kOnBody] = onBody));
}
