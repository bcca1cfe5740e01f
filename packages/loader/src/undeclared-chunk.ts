/** Loads the adapter for SDKs without `protocol`, which most pages never need. The script tag includes it instead. */
export const loadUndeclared = (): Promise<typeof import('./undeclared.js')> => import('./undeclared.js');
