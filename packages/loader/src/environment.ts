/** An environment that takes payments. */
export type Environment = 'staging' | 'production';

/**
 * A session to open: its URL, or what the merchant's backend answered. An `environment` given here is held against
 * the loader's; it never chooses it.
 */
export type SessionRef =
  | string
  | {
      sessionUrl: string;
      environment?: Environment;
      /** Milliseconds from the receipt of the session until it expires; default: the flow's lifetime. */
      expiresInMs?: number;
    };
