export { createApp, type App } from './app.js';
export { parseConfig, type BusinessUnit, type ServiceConfig } from './platform/config/config.js';
export type { ServiceEnvironment } from './shared/environment.js';
export type { Deps } from './deps.js';
export { ServiceError, type StartErrorCode } from './core/error.js';
export { createTestService, type TestService, type TestServiceOptions } from './start/test-service.js';
export type { Control } from './control/control.js';
export type { ControlState } from './control/state.js';
export type { FaultRequest } from './platform/faults.js';
export type { Attempt } from './shared/page.js';
export type {
  ProcessorResponse as Answer,
  BankSource,
  CardSource,
  Charge,
  ChargeOutcome,
  EventDelivery,
  EventOutcome,
  LookupOutcome,
  PaymentProcessor,
  PaymentSource,
  ProcessorContext,
  ProcessorAmount,
  ProcessorEvent,
  RequiresAction,
  Refund,
  RefundOutcome,
  SourceRefused,
  ProcessorResult,
  Tokenized,
} from './processor/rules/port.js';
export { TEST_ACCOUNTS, TEST_CARDS, TEST_REFUNDS, TEST_ROUTING_NUMBER } from './processor/test-processor.js';
