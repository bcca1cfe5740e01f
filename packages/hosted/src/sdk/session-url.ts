import { environmentOfId, type SessionEnvironment } from '../../../service/src/shared/environment.js';
import { SdkError } from './error.js';

/** Added by the service when it serves the script. */
export interface SdkConfig {
  environment: SessionEnvironment;
  /** The public URL of the service: session URLs lie under `{base}/s/`. */
  base: string;
}

export interface Session {
  url: string;
  id: string;
  origin: string;
}

/**
 * The session that a URL names, if this service created it. Throws `environment_mismatch`, with both sides, for a
 * session of any other place, and `unknown_session_url` for a URL of no session.
 */
export function readSessionUrl(sessionUrl: unknown, config: SdkConfig): Session {
  let url: URL;
  try {
    url = new URL(String(sessionUrl));
  } catch {
    throw new SdkError('unknown_session_url', "Not a URL: pass the session's PaymentLogInLink.");
  }
  const base = new URL(config.base);
  const prefix = `${base.pathname.replace(/\/$/, '')}/s/`;
  const id = url.pathname.slice(prefix.length);
  const idEnvironment = environmentOfId(id);
  const isElsewhere = url.origin !== base.origin || !url.pathname.startsWith(prefix);
  const isOtherEnvironment = idEnvironment !== undefined && idEnvironment !== config.environment;
  if (isElsewhere || isOtherEnvironment || url.username || url.password) {
    const found = isOtherEnvironment ? idEnvironment : url.origin;
    throw new SdkError(
      'environment_mismatch',
      `This session is for ${found}, but this SDK is for ${config.environment}: load the other one's.`,
      { expected: config.environment, found },
    );
  }
  if (id === '' || id.includes('/')) {
    throw new SdkError('unknown_session_url', `This URL of ${url.origin} names no session.`);
  }
  return { url: url.href, id, origin: base.origin };
}
