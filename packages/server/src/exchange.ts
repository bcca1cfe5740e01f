/** The interface of transports: one request and its response. */
export interface OutgoingRequest {
  /** Relative to the base URL. */
  path: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

export interface IncomingResponse {
  status: number;
  /** Undefined if the body is longer than {@link MAX_BYTES} and was not read completely. */
  text: string | undefined;
  /** @param name in lower case */
  header: (name: string) => string | null;
}

/** Sends one request. Never follows redirects. Rejects if the response is cut short. */
export type Transport = (request: OutgoingRequest) => Promise<IncomingResponse>;

/** Longer than any response of the contract. */
export const MAX_BYTES = 5_000_000;
