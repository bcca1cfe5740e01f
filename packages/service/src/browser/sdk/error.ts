export type SdkErrorCode =
  | 'environment_mismatch'
  | 'unknown_session_url'
  | 'csp_blocked'
  | 'flow_in_progress'
  | 'flow_failed';

/** What the SDK's promises reject with. Holds at most a session URL's origin, never the URL. */
export class SdkError extends Error {
  override readonly name = 'SdkError';
  readonly code: SdkErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: SdkErrorCode, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
