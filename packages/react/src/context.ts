import { createContext, type Context } from 'react';
import type { Loader } from '@embedded-sessions/loader';
import type { EmbeddedEvent } from './flow-state.js';

export interface EmbeddedContextValue {
  readonly loader: Loader;
  readonly onEvent: ((event: EmbeddedEvent) => void) | undefined;
}

export const EmbeddedContext: Context<EmbeddedContextValue | null> =
  createContext<EmbeddedContextValue | null>(null);
