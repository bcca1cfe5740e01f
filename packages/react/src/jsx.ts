// Types of `<embedded-flow>` in TSX: `import type {} from '@embedded-sessions/react/jsx'`. Types only.
import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { Flow, FlowResult, LoaderError, SessionRef } from '@embedded-sessions/loader';
import type { EmbeddedFlowElement } from '@embedded-sessions/loader/element';

/**
 * Props of `<embedded-flow>` in React 19, which sets `session` as a property. Call `defineEmbeddedFlow` before the first
 * render.
 *
 * @example
 * <embedded-flow flow="payment" session={session} onsettled={({ detail }) => console.log(detail.status)} />
 */
export interface EmbeddedFlowElementProps extends DetailedHTMLProps<
  HTMLAttributes<EmbeddedFlowElement>,
  EmbeddedFlowElement
> {
  flow?: Flow | undefined;
  /** The response of your backend, or null until it arrives. */
  session?: SessionRef | null | undefined;
  /** BCP 47. */
  locale?: string | undefined;
  onsettled?: ((event: CustomEvent<FlowResult>) => void) | undefined;
  onerror?: ((event: CustomEvent<LoaderError>) => void) | undefined;
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'embedded-flow': EmbeddedFlowElementProps;
    }
  }
}
