/** What the entry of the browser's history keeps for a reload: nothing of it is in the address. */
interface Kept {
  secret?: string;
  /** The payment attempt whose outcome the page did not see yet. */
  attemptId?: string;
}

function kept(): Kept {
  return (history.state as Kept | null) ?? {};
}

/** The session's secret; the HTML's first script has taken it out of the address. */
export function sessionSecret(): string | undefined {
  return kept().secret;
}

export function keptAttempt(): string | undefined {
  return kept().attemptId;
}

export function keepAttempt(attemptId: string | undefined): void {
  const { secret } = kept();
  history.replaceState(
    { ...(secret === undefined ? {} : { secret }), ...(attemptId === undefined ? {} : { attemptId }) },
    '',
  );
}
