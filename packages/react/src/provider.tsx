import { useEffect, useInsertionEffect, useMemo, useRef, type ReactElement, type ReactNode } from 'react';
import type { Loader } from '@embedded-sessions/loader';
import { EmbeddedContext } from './context.js';
import type { FlowSettings } from './controller.js';

/** Props of {@link EmbeddedProvider}: what it says of its flows, those below may say otherwise; `onEvent` hears of all. */
export interface EmbeddedProviderProps extends FlowSettings {
  /** Made once, outside components: `createLoader({ … })` does nothing until asked, on a server neither. */
  loader: Loader;
  /** Fetches the operator's script when the provider mounts, and executes nothing. */
  preload?: boolean | undefined;
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
  children,
  ...wishes
}: EmbeddedProviderProps): ReactElement {
  useEffect(() => {
    // No types kept a page of JavaScript from giving none: a flow says so.
    if (preload) loader?.preload();
  }, [loader, preload]);
  const latest = useRef<FlowSettings>(wishes);
  useInsertionEffect(() => {
    latest.current = wishes;
  });
  const value = useMemo(() => ({ loader, latest }), [loader]);
  return <EmbeddedContext.Provider value={value}>{children}</EmbeddedContext.Provider>;
}
