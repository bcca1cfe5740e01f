import { createContext, type Context } from 'react';
import type { Loader } from '@embedded-sessions/loader';
import type { FlowSettings } from './controller.js';

export interface EmbeddedContextValue {
  readonly loader: Loader;
  /** Read when something happens, so that a change of it renders nothing and a flow outlives no callback. */
  readonly latest: { readonly current: FlowSettings };
}

export const EmbeddedContext: Context<EmbeddedContextValue | null> =
  createContext<EmbeddedContextValue | null>(null);
