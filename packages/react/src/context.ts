import { createContext, type Context } from 'react';
import type { Loader } from '@embedded-sessions/loader';
import type { FlowSettings } from './controller.js';

export interface EmbeddedContextValue {
  readonly loader: Loader;
  /** Read at the time of an event, so a change doesn't rerender and a flow never calls a stale callback. */
  readonly latest: { readonly current: FlowSettings };
}

export const EmbeddedContext: Context<EmbeddedContextValue | null> =
  createContext<EmbeddedContextValue | null>(null);
