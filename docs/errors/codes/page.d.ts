/** What a developer is told about each code. */
export interface Explanation {
  /** What happened. */
  meaning: string;
  /** Whether the same call may succeed later with nothing changed. */
  retryable: 'yes' | 'no' | 'depends';
  /** What to do. */
  todo: string;
}
/** Keyed by the union itself: a code without an explanation does not compile. */
export type Page<Code extends string> = Readonly<Record<Code, Explanation>>;
