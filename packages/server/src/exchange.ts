/** One request and its response, as every transport exchanges them. */
export interface OutgoingRequest {
  /** Relative to the base URL. */
  path: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

export interface IncomingResponse {
  status: number;
  /** Undefined if the body is longer than {@link MAX_BYTES}. The rest of it was not read. */
  text: string | undefined;
  /** @param name in lower case */
  header: (name: string) => string | null;
}

/** Sends one request. Never follows a redirect; rejects if the response is cut short. */
export type Transport = (request: OutgoingRequest) => Promise<IncomingResponse>;

/** Longer than any response of the contract. */
export const MAX_BYTES = 5_000_000;
