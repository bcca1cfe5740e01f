import { environmentOfId, type SessionEnvironment } from '@shared/environment.js';
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
 * Parses the URL of a session that this service created. Throws `environment_mismatch`, which names both sides, for
 * a session of another environment or service, and `unknown_session_url` for other URLs.
 */
export function readSessionUrl(sessionUrl: unknown, { environment, base }: SdkConfig): Session {
  let url: URL | undefined;
  try {
    url = new URL(sessionUrl as string);
  } catch {
    // Refused below.
  }
  const id = url?.pathname.split('/').pop();
  if (!url || !id)
    throw new SdkError('unknown_session_url', "Not a session's URL: pass its PaymentLogInLink.");

  const { href, origin } = url;
  const sessionEnvironment = environmentOfId(id) ?? environment;
  const isElsewhere = !href.startsWith(new URL(`${base}/s/`).href);
  if (isElsewhere || sessionEnvironment !== environment) {
    const found = sessionEnvironment === environment ? origin : sessionEnvironment;
    throw new SdkError(
      'environment_mismatch',
      `The session is for ${found}, this SDK for ${environment}: load the other one.`,
      { expected: environment, found },
    );
  }
  return { url: href, id, origin };
}
