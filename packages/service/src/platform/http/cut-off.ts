import type { Socket } from 'node:net';

/** Node's parser. Its callbacks are numbered properties, and `onIncoming` for complete headers. */
interface Parser extends Record<number, unknown> {
  onIncoming: () => number;
  readonly constructor: { readonly kOnBody: number };
}

/** Makes the parser stop, as after an upgrade. */
const STOP = 2;

/**
 * Ends a connection immediately, of a server or a client. Node would still parse the rest of a read, and call back
 * for every request and chunk: 10,000 times in 64 KiB. Without a callback for chunks the parser skips them; a request stops it.
 */
export function cutOff(socket: Socket & { readonly parser?: Parser | null }): void {
  const { parser, destroyed } = socket;
  if (destroyed || !parser) return;
  socket.destroy();
  const { kOnBody } = parser.constructor;
  const onBody = parser[kOnBody];
  parser[kOnBody] = undefined;
  parser.onIncoming = () => STOP;
  // Node reuses parsers for other connections, and replaces `onIncoming`. If a client's response was complete, the parser is
  // free at once, but the connection closes before another one is read.
  socket.once('close', () => (parser[kOnBody] = onBody));
}
