export type SdkErrorCode =
  | 'environment_mismatch'
  | 'unknown_session_url'
  | 'csp_blocked'
  | 'flow_in_progress'
  | 'flow_failed';

/** Why a flow failed: a reason for `details`, and a message that says what to change. */
export type Failure = [reason: string, message: string, code?: SdkErrorCode];

/** Every rejection of the SDK. Contains at most the origin of a session URL. */
export class SdkError extends Error {
  override readonly name = 'SdkError';
  declare readonly code: SdkErrorCode;
  declare readonly details: Readonly<Record<string, unknown>>;

  constructor(code: SdkErrorCode, message: string, details: Record<string, unknown> = {}) {
    super(message);
    Object.assign(this, { code, details });
  }
}
