import { createContext, type Context } from 'react';
import type { Loader } from '@embedded-sessions/loader';
import type { FlowSettings } from './controller.js';

export interface EmbeddedContextValue {
  readonly loader: Loader;
  /** A ref, so that changes don't rerender and flows never call stale callbacks. */
  readonly latest: { readonly current: FlowSettings };
}

export const EmbeddedContext: Context<EmbeddedContextValue | null> =
  createContext<EmbeddedContextValue | null>(null);
