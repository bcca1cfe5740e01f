export { EmbeddedFlow, type EmbeddedFlowProps } from './embedded-flow.js';
export { EmbeddedPaymentError, type EmbeddedPaymentErrorCode } from './error.js';
export type {
  EmbeddedEvent,
  EventLike,
  FlowState,
  PaymentResult,
  SessionFactory,
  SessionReason,
  SessionSource,
} from './flow-state.js';
export { EmbeddedProvider, type EmbeddedProviderProps } from './provider.js';
export { useEmbeddedFlow, type EmbeddedFlowControls } from './use-flow.js';
export { useEmbeddedPayment, type EmbeddedPayment } from './use-flow.js';
export type { FlowActions, StartFlow, UseEmbeddedOptions } from './use-flow.js';
export type { Appearance, Flow, FlowEvent, FlowResult, Loader, SessionRef } from '@embedded-sessions/loader';
