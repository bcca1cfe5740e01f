export type SdkErrorCode =
  | 'environment_mismatch'
  | 'unknown_session_url'
  | 'csp_blocked'
  | 'flow_in_progress'
  | 'flow_failed';

/** Why a flow breaks: for `details`, and in words that say what to change. */
export type Failure = [reason: string, message: string, code?: SdkErrorCode];

/** What the SDK's promises reject with. Holds at most a session URL's origin, never the URL. */
export class SdkError extends Error {
  override readonly name = 'SdkError';
  declare readonly code: SdkErrorCode;
  declare readonly details: Readonly<Record<string, unknown>>;

  constructor(code: SdkErrorCode, message: string, details: Record<string, unknown> = {}) {
    super(message);
    Object.assign(this, { code, details });
  }
}
