import { useEffect, useInsertionEffect, useMemo, useRef, type ReactElement, type ReactNode } from 'react';
import type { Loader } from '@embedded-sessions/loader';
import { EmbeddedContext } from './use-flow.js';
import type { FlowSettings } from './controller.js';

/** Props of {@link EmbeddedProvider}. Flows can override `locale` and `appearance`; `onEvent` receives all events. */
export interface EmbeddedProviderProps extends FlowSettings {
  /** Create it once, outside components. `createLoader({ … })` does nothing until its first use, and is safe on a server. */
  loader: Loader;
  /** Fetches the operator's script when the provider mounts, without executing it. */
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
  ...settings
}: EmbeddedProviderProps): ReactElement {
  useEffect(() => {
    // JavaScript callers may omit the loader. A flow reports that.
    if (preload) loader?.preload();
  }, [loader, preload]);
  const latest = useRef<FlowSettings>(settings);
  useInsertionEffect(() => {
    latest.current = settings;
  });
  const value = useMemo(() => ({ loader, latest }), [loader]);
  return <EmbeddedContext.Provider value={value}>{children}</EmbeddedContext.Provider>;
}
