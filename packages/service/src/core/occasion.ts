/** When something is done, and how what it makes is named: what the domain cannot know by itself. */
export interface Occasion {
  /** Ms since the epoch. */
  readonly now: number;
  /** A new id that begins with `prefix`. */
  readonly newId: (prefix: string) => string;
}
