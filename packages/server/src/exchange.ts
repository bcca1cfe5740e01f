/** The interface of transports: one request and its response. */
export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

export interface IncomingResponse {
  status: number;
  /** Undefined if the body is longer than {@link MAX_BYTES} and was not read completely. */
  text: string | undefined;
  /** @param name in any case */
  header: (name: string) => string | null;
}

/** Sends one request. Never follows redirects. Rejects if the response is cut short. */
export type Transport = (request: OutgoingRequest) => Promise<IncomingResponse>;

/** Longer than any response of the contract, and short enough to parse without blocking the backend. */
const MAX_BYTES = 2_000_000;

/** Reads a body. Undefined if it is too long. */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;

  for await (const chunk of body) {
    // A custom `fetch` may ignore the signal of its request.
    signal.throwIfAborted();
    bytes += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (bytes > MAX_BYTES) return undefined;

    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
