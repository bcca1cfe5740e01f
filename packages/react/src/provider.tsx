import { useEffect, useMemo, type ReactElement, type ReactNode } from 'react';
import type { Loader } from '@embedded-sessions/loader';
import { EmbeddedContext } from './context.js';
import type { EmbeddedEvent } from './flow-state.js';

/** Props of {@link EmbeddedProvider}. */
export interface EmbeddedProviderProps {
  /** Made once, outside components: `createLoader({ … })` does nothing until asked, on a server neither. */
  loader: Loader;
  /** Fetches the operator's script when the provider mounts, and executes nothing. */
  preload?: boolean | undefined;
  /** Told what happens in every flow below, in the end with its result. No event holds a session's URL. */
  onEvent?: ((event: EmbeddedEvent) => void) | undefined;
  children?: ReactNode;
}

/**
 * Gives the hooks and `<EmbeddedFlow>` below it their loader.
 *
 * @example
 * const loader = createLoader({
 *   environment: 'staging',
 *   loaderUrl: 'https://pay.staging.example.com/app/embedded.loader.js',
 * });
 *
 * createRoot(element).render(
 *   <EmbeddedProvider loader={loader} preload>
 *     <App />
 *   </EmbeddedProvider>,
 * );
 */
export function EmbeddedProvider({
  loader,
  preload,
  onEvent,
  children,
}: EmbeddedProviderProps): ReactElement {
  useEffect(() => {
    if (preload) loader.preload();
  }, [loader, preload]);
  const value = useMemo(() => ({ loader, onEvent }), [loader, onEvent]);
  return <EmbeddedContext.Provider value={value}>{children}</EmbeddedContext.Provider>;
}
