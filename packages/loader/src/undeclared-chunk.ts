/** What did not load, for an error. */
export const UNDECLARED = 'A chunk of this package';

/** Loads the adapter for SDKs without `protocol`, which most pages never need. */
export const loadUndeclared = (): Promise<typeof import('./undeclared.js')> => import('./undeclared.js');
